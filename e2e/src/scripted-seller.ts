import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { CHALLENGE_HEADER, type PaymentProof, PROOF_HEADER, routes } from '@batua/contract'
import { openApi } from './api.ts'
import type { Agent } from './network.ts'
import { toBase64 } from './pay-per-call-wire.ts'

/** What a seller does with a paid request instead of serving it. */
export type Turn = (response: ServerResponse, serve: () => Promise<void>) => unknown

/** A seller without the sdk (interface section 4, Pay-per-call) that misbehaves as configured. */
export interface ScriptedSeller {
  readonly address: string
  readonly host: string
  /** Its payee and price, which a test can change. */
  readonly sign: { payTo: string; price: string; nonce: string | null }
  /** For the next requests with a proof, in order; after these it verifies and serves. */
  readonly turns: Turn[]
  /** The proofs that it received, including repetitions. */
  readonly proofs: PaymentProof[]
  close(): Promise<void>
}

/** Paths: `/free` costs nothing, `/to?…` redirects there, `/plain-402`, `/garbled-402` and `/lengthy-402?…` (with a
 * header of that length) return an invalid 402.
 */
export async function openScriptedSeller(service: string, payee: Agent): Promise<ScriptedSeller> {
  const api = openApi(service)
  const sign: ScriptedSeller['sign'] = { payTo: payee.handle, price: '10.00', nonce: null }
  const turns: Turn[] = []
  const proofs: PaymentProof[] = []

  async function isPaid({ transactionId, nonce }: PaymentProof): Promise<boolean> {
    const { verified } = await api.ok(routes.verifyTransaction, {
      params: { txn_id: transactionId },
      query: { expected_amount: Number(sign.price), nonce, consume: true },
      headers: payee.headers,
    })
    return verified
  }

  function ask(response: ServerResponse): void {
    const nonce = sign.nonce ?? randomUUID()
    const challenge = { payTo: sign.payTo, amount: sign.price, asset: 'INR', nonce }
    response.writeHead(402, { [CHALLENGE_HEADER]: toBase64(challenge) }).end('pay first')
  }

  async function sell(request: IncomingMessage, response: ServerResponse, echo: string): Promise<void> {
    const header = request.headers[PROOF_HEADER.toLowerCase()]
    if (typeof header !== 'string') return ask(response)
    const proof = JSON.parse(Buffer.from(header, 'base64').toString('utf8')) as PaymentProof
    proofs.push(proof)
    const serve = async () => {
      if (await isPaid(proof)) response.end(echo)
      else ask(response)
    }
    const turn = turns.shift()
    await (turn === undefined ? serve() : turn(response, serve))
  }

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method, url = '' } = request
    const body = await text(request)
    if (url === '/free') response.end('free')
    else if (url === '/plain-402') response.writeHead(402).end('some other scheme')
    else if (url === '/garbled-402') response.writeHead(402, { [CHALLENGE_HEADER]: 'garbled' }).end()
    else if (url.startsWith('/lengthy-402?'))
      response.writeHead(402, { [CHALLENGE_HEADER]: 'x'.repeat(Number(url.split('?')[1])) }).end()
    else if (url.startsWith('/to?')) response.writeHead(302, { location: url.slice('/to?'.length) }).end()
    else await sell(request, response, JSON.stringify({ method, url, body }))
  }

  const server = createServer((request, response) => void serve(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const host = `127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    address: `http://${host}`,
    host,
    sign,
    turns,
    proofs,
    close() {
      server.closeAllConnections()
      return new Promise(resolve => server.close(() => resolve()))
    },
  }
}

/** Closes the connection without a response. */
export const cut: Turn = response => response.destroy()
