import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto'
import { type BodyOf, PROOF_HEADER, type ResponseOf, routes, type VoucherProof } from '@batua/contract'
import type { Acceptance, Seller, SellerRequest } from '@batua/sdk/seller'
import type { Api } from './api.ts'
import type { Agent } from './network.ts'

/** A buyer that signs vouchers by itself, without the sdk, so that it can cheat. */
export interface VoucherBuyer {
  readonly agent: Agent
  readonly authorizationId: string
  readonly token: string
  /** A voucher for so many INR in all; `by`: another authorization, or another key. */
  voucher(amount: number, nonce: string, by?: { readonly jti?: string; readonly key?: KeyObject }): string
  /** The header of a proof by a voucher. */
  proof(amount: number, nonce: string, change?: Partial<VoucherProof>): Record<string, string>
  state(): Promise<ResponseOf<typeof routes.getAuthorization>>
  close(): Promise<unknown>
}

export async function openVoucherBuyer(
  api: Api,
  agent: Agent,
  payee: Agent,
  body: Partial<BodyOf<typeof routes.authorize>> = {},
): Promise<VoucherBuyer> {
  const { publicKey, privateKey } = generateKeyPairSync('ed25519')
  const voucher_key = publicKey.export({ type: 'spki', format: 'der' }).subarray(-32).toString('base64')
  const made = await api.ok(routes.authorize, {
    ...{ params: { agent_id: agent.id }, headers: agent.headers },
    body: { to: payee.handle, amount: 50, voucher_key, ...body },
  })
  const { authorization_id: authorizationId, token } = made
  if (authorizationId === null || token === null) throw new Error('the authorization waits for approval')
  const call = { params: { authorization_id: authorizationId }, headers: agent.headers }

  function voucher(
    amount: number,
    nonce: string,
    { jti = authorizationId ?? '', key = privateKey } = {},
  ): string {
    const parts = [
      '{"alg":"EdDSA","typ":"voucher+jwt"}',
      JSON.stringify({ jti, amount: amount.toFixed(2), nonce }),
    ]
    const signed = parts.map(part => Buffer.from(part).toString('base64url')).join('.')
    return `${signed}.${sign(null, Buffer.from(signed), key).toString('base64url')}`
  }
  return {
    ...{ agent, authorizationId, token, voucher },
    proof(amount, nonce, change = {}) {
      const proof: VoucherProof = {
        ...{ version: 1, authorization: token, voucher: voucher(amount, nonce), fromAgent: agent.id, nonce },
        ...change,
      }
      return { [PROOF_HEADER]: Buffer.from(JSON.stringify(proof)).toString('base64') }
    },
    state: () => api.ok(routes.getAuthorization, call),
    close: () => api.ok(routes.closeAuthorization, call),
  }
}

/** A request to a seller without a server. */
export function requestOf(headers: Readonly<Record<string, string>> = {}, path = '/weather'): SellerRequest {
  const lowerCase = new Map(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
  return { method: 'GET', path, header: name => lowerCase.get(name) ?? null }
}

/** A seller's response to a call by a voucher. */
export interface Sold {
  /** `served`, or why not. */
  readonly outcome: string
  readonly total: string | null
  /** The nonce for the next call. */
  readonly next: string
}

/** Calls a seller, whose handler responds with this status. */
export async function callSeller(
  seller: Seller<null>,
  headers: Readonly<Record<string, string>> = {},
  status = 200,
): Promise<Sold> {
  const acceptance = await seller.accept(requestOf(headers), null)
  const responded = headersIn(acceptance, status)
  if (acceptance.kind === 'accepted') {
    await acceptance.stored?.()
    await acceptance.finish(status)
  }
  const challenge = responded['X-SERVICE-PAY'] ?? ''
  const { nonce = '' } = JSON.parse(Buffer.from(challenge, 'base64').toString() || '{}') as { nonce?: string }
  return {
    outcome: outcomeOf(acceptance),
    total: responded['X-SERVICE-VOUCHER-TOTAL'] ?? null,
    next: nonce,
  }
}

function headersIn(acceptance: Acceptance, status: number): Readonly<Record<string, string>> {
  if (acceptance.kind === 'refused') return acceptance.response.headers
  return acceptance.kind === 'accepted' ? acceptance.head(status) : {}
}

function outcomeOf(acceptance: Acceptance): string {
  if (acceptance.kind !== 'refused') return 'served'
  const { error } = JSON.parse(acceptance.response.body) as {
    error: { code: string; details: { reason?: string } }
  }
  return error.details.reason ?? error.code
}
