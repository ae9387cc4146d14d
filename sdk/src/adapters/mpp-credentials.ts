import type { Buyer } from '../buyer/buyer.ts'
import { decideChallenge, type Order } from '../buyer/decide-challenge.ts'
import type { IsOwnService } from '../buyer/own-service.ts'
import { base64UrlFromBytes } from '../protocol/base64.ts'
import { canonicalJson } from '../protocol/canonical.ts'
import { AUTHENTICATE_HEADER, type Charge, chargeOf, noncesIn } from '../protocol/mpp.ts'
import { refused } from './purchases.ts'

/** A challenge as mppx parsed it. */
export interface MppChallenge {
  readonly realm: string
  readonly request: object
  readonly meta?: object | undefined
  readonly opaque?: string | undefined
}

/** What a response asked for. */
export interface Asked {
  readonly url: URL
  /** Whether it refused a payment: mppx would pay a second and a third time then. */
  readonly isRefusal: boolean
}

/** Prices that were asked for lately. */
const MAX_ASKED = 10_000

/** Prices that responses have asked for, by their nonces. */
export interface AskedPrices {
  /** Where a response asked for it; undefined: mppx's client does not use this method's `fetch`. */
  find(nonce: string): Asked | undefined
  /** Notes the prices of a response. */
  note(response: Response, address: string, isRefusal: boolean): void
}

export function createAskedPrices(): AskedPrices {
  const asked = new Map<string, Asked>()
  return {
    find: nonce => asked.get(nonce),
    note({ status, headers, url }, address, isRefusal) {
      for (const nonce of status === 402 ? noncesIn(headers.get(AUTHENTICATE_HEADER)) : []) {
        if (asked.size >= MAX_ASKED) asked.clear()
        asked.set(nonce, { url: new URL(url || address), isRefusal })
      }
    },
  }
}

/** A request of mppx's client, as `fetch` gets it. */
export function sentBy(input: string | URL | Request, init: RequestInit | undefined) {
  const headers = new Headers(input instanceof Request ? input.headers : undefined)
  for (const [name, value] of new Headers(init?.headers)) headers.set(name, value)
  const address = input instanceof Request ? input.url : String(input)
  const credential = headers.get('payment-authorization') ?? headers.get('authorization')
  return { address, credential }
}

/** The nonce of a challenge; empty if it has none. */
export function nonceOf({ request }: MppChallenge): string {
  return chargeOf({ ...request })?.challenge.nonce ?? ''
}

/** A price that passes every rule of the buyer except the budgets. Throws a `PurchaseError`. */
export async function orderIn(
  { terms }: Buyer,
  isOwnService: IsOwnService,
  challenge: MppChallenge,
  asked: Asked | undefined,
): Promise<{ readonly order: Order; readonly charge: Omit<Charge, 'params'>; readonly url: URL }> {
  const charge = chargeOf({ ...challenge.request })
  const url = asked?.url ?? new URL('about:blank')
  if (charge === null) throw refused(url, 'invalid_challenge', 'The seller’s price cannot be read')
  const { nonce } = charge.challenge
  if (!(await isOwnService(charge.service)))
    throw refused(url, 'invalid_challenge', `This is paid at ${charge.service}, another service`, nonce)
  const facts = { challenge: charge.challenge, askedUrl: url, finalUrl: url, isBodyRepeatable: true }
  const order = decideChallenge({ ...facts, terms })
  if (order.kind === 'refusal') throw refused(url, order.code, order.message, nonce)
  return { order, charge, url }
}

/** A challenge as it is repeated in a credential. */
export function paramsOf({ request, meta, opaque, ...params }: MppChallenge): Record<string, string> {
  const kept = opaque ?? (meta === undefined ? undefined : encoded(meta))
  return { ...params, request: encoded(request), ...(kept === undefined ? {} : { opaque: kept }) }
}

function encoded(value: object): string {
  return base64UrlFromBytes(new TextEncoder().encode(canonicalJson(value)))
}
