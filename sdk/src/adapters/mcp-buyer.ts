import { type Buyer, REAL_TIME, type Time } from '../buyer/buyer.ts'
import { notePayment, paymentOf } from '../buyer/call-payments.ts'
import type { PayingFetchOptions } from '../buyer/options.ts'
import { fetchOf, openBuyer } from '../buyer/paying-fetch.ts'
import { PurchaseError } from '../buyer/purchase-error.ts'
import { canonicalJson, plainJson } from '../protocol/canonical.ts'
import { decodeProof, encodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, PROOF_HEADER } from '../protocol/messages.ts'
import {
  acceptedFor,
  type Fields,
  isFields,
  type Offer,
  offersIn,
  PAYMENT_META,
  PAYMENT_RESPONSE_META,
  railOf,
} from '../protocol/x402.ts'

export interface PayingToolsOptions extends Omit<PayingFetchOptions, 'identity' | 'tab'> {
  /** The address of the server whose tools are called. Its origin and host identify the seller. */
  readonly url: string | URL
}

/** The arguments of `callTool`. */
export interface ToolCall {
  readonly name: string
  readonly arguments?: Record<string, unknown> | undefined
  readonly _meta?: Record<string, unknown> | undefined
}

/**
 * A `callTool` that pays, as x402's transport for MCP has it: `payingTools(mcp.callTool.bind(mcp), …)` for a client of
 * the official SDK, of version 1 or 2. It is `payingFetch` for tools: the same rules decide, the same journal remembers
 * and the same errors are thrown, and the same call (tool and arguments) continues a purchase. `paymentOf` returns the
 * payment of a result and of a thrown error. A result that asks for a payment which this wallet cannot make is
 * returned unchanged. Throws a TypeError or RangeError for invalid options.
 */
export function payingTools<Call extends ToolCall, More extends readonly unknown[], Result extends object>(
  callTool: (call: Call, ...more: More) => Promise<Result>,
  options: PayingToolsOptions,
): (call: Call, ...more: More) => Promise<Result> {
  return createPayingTools(callTool, options, REAL_TIME)
}

/** @internal The same with the time passed in. */
export function createPayingTools<
  Call extends ToolCall,
  More extends readonly unknown[],
  Result extends object,
>(
  callTool: (call: Call, ...more: More) => Promise<Result>,
  { url, service: known, ...options }: PayingToolsOptions,
  time: Time,
): (call: Call, ...more: More) => Promise<Result> {
  if (typeof callTool !== 'function') throw new TypeError('payingTools needs the callTool of a client')
  const address = new URL(url).href
  const { service } = railOf(options.client, { service: known })
  const buyer = openBuyer(options, time)
  return async (given, ...more) => {
    // A copy: a request that is sent after a wait equals the one before it.
    const call = { ...given, ...(plainJson({ name: given.name, arguments: given.arguments }) as ToolCall) }
    const server = {
      url: address,
      service,
      call: (paid: object) => callTool({ ...call, ...paid }, ...more),
    }
    return buyCall(buyer, server, call, signalIn(more))
  }
}

/** A server of tools, for one call of its caller. */
interface Server<Result> {
  readonly url: string
  readonly service: string
  call(more: { readonly _meta?: Record<string, unknown> }): Promise<Result>
}

/** The tool is called by a `fetch` that maps results to responses, so that a purchase goes the way of all others. */
async function buyCall<Result extends object>(
  buyer: Buyer,
  server: Server<Result>,
  call: ToolCall,
  signal: AbortSignal | undefined,
): Promise<Result> {
  const results = new WeakMap<Response, Result>()
  let offered: Offered | null = null

  async function respond(result: Result, isNewPurchase: boolean): Promise<Response> {
    const required = paymentRequiredIn(result)
    // The price of a tool is paid before the call.
    const offer = required && (offersIn(required).find(each => each.setAsideSeconds === null) ?? null)
    // After a payment no other price is paid, not even at another service.
    if (offer !== null && isNewPurchase) checkService(server, offer)
    if (required !== null && offer !== null) offered = { offer, resource: required['resource'] }
    const response = new Response(
      JSON.stringify(result),
      offer === null ? { status: statusOf(result) } : challengeOf(offer),
    )
    results.set(response, result)
    return response
  }
  const fetch: typeof globalThis.fetch = async (_url, init) => {
    const proof = decodeProof(new Headers(init?.headers).get(PROOF_HEADER) ?? '')
    if (proof === null) return respond(await server.call({}), true)
    // Only an earlier call of this program knows the price, so the price is requested again.
    if (offered === null) {
      const first = await respond(await server.call({}), false)
      if (offered === null) return first
    }
    const { offer, resource } = offered
    const payment = { x402Version: 2, resource, accepted: acceptedFor(offer, proof.nonce), payload: proof }
    return respond(await server.call({ _meta: { ...call._meta, [PAYMENT_META]: payment } }), false)
  }

  const body = canonicalJson({ name: call.name, arguments: call.arguments ?? {} })
  const response = await fetchOf(buyer, fetch)(server.url, { method: 'POST', body, signal: signal ?? null })
  const result = results.get(response)
  if (result === undefined) throw new TypeError('The tool gave no result')
  const payment = paymentOf(response)
  if (payment !== undefined) notePayment(result, payment)
  return result
}

interface Offered {
  readonly offer: Offer
  readonly resource: unknown
}

function checkService({ url, service }: Server<object>, { service: other, challenge }: Offer): void {
  if (other === service) return
  const message = `The tool is paid at ${other}, and this wallet is at ${service}`
  throw new PurchaseError({ code: 'invalid_challenge', message, url, nonce: challenge.nonce })
}

function challengeOf({ challenge }: Offer): ResponseInit {
  return { status: 402, headers: { [CHALLENGE_HEADER]: encodeChallenge(challenge) } }
}

const SERVED = 200
const FAILED = 500
const BUSY = 503

/** The status that a result would have over HTTP. */
function statusOf(result: object): number {
  if (!isFields(result) || result['isError'] !== true) return SERVED
  const settlement = fieldsOf(fieldsOf(result, '_meta'), PAYMENT_RESPONSE_META)
  return settlement['errorReason'] === 'unexpected_verify_error' ? BUSY : FAILED
}

/** The payment required in a result, in each of the places that x402's text has had for it; null if there is none. */
function paymentRequiredIn(result: object): Fields | null {
  if (!isFields(result) || result['isError'] !== true) return null
  const { structuredContent, content } = result
  const [first] = Array.isArray(content) ? (content as unknown[]) : []
  return (
    [structuredContent, isFields(first) ? jsonIn(first['text']) : null]
      .flatMap(each => (isFields(each) ? [each, fieldsOf(fieldsOf(each, 'x402/error'), 'data')] : []))
      .find(each => each['x402Version'] === 2) ?? null
  )
}

function jsonIn(text: unknown): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return null
  }
}

function fieldsOf(of: object, name: string): Fields {
  const value = (of as Fields)[name]
  return isFields(value) ? value : {}
}

/** The signal in the options of a call, wherever the client takes them. */
function signalIn(more: readonly unknown[]): AbortSignal | undefined {
  return more
    .map(each => (isFields(each) ? each['signal'] : undefined))
    .find((each): each is AbortSignal => each instanceof AbortSignal)
}
