import { sha256 } from '../buyer/sha-256.ts'
import { base64FromText } from '../protocol/base64.ts'
import { canonicalJson, plainJson } from '../protocol/canonical.ts'
import { decodeChallenge, MAX_HEADER_CHARACTERS } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, PROOF_HEADER } from '../protocol/messages.ts'
import {
  type Fields,
  isFields,
  PAYMENT_META,
  PAYMENT_RESPONSE_META,
  type PaymentRail,
  type PaymentRequired,
  railOf,
  requirementsOf,
  type SettlementResponse,
} from '../protocol/x402.ts'
import { DEFAULT_NONCE_TTL_MS } from '../seller/context.ts'
import type { AcceptedPayment, SellerOptions, SellerRequest, SellerResponse } from '../seller/options.ts'
import { rememberPayment } from '../seller/paid-requests.ts'
import { createSeller } from '../seller/seller.ts'

export { paymentOf } from '../buyer/call-payments.ts'
export type { Network } from '../protocol/x402.ts'
export type { AcceptedPayment, SellerOptions } from '../seller/options.ts'
export { paymentFor } from '../seller/paid-requests.ts'
export { type PayingToolsOptions, payingTools, type ToolCall } from './mcp-buyer.ts'

/** The used part of an `McpServer` of the official SDK, of version 1 or 2. */
export interface ToolServer {
  registerTool(name: string, config: object, callback: (...given: never[]) => unknown): unknown
}

/** The result of a tool, as the handler returns it. */
export interface ToolResult {
  readonly content?: unknown
  readonly structuredContent?: unknown
  readonly isError?: boolean | undefined
  /** `input_required`: the handler asks for more, and has not served. */
  readonly resultType?: string | undefined
  readonly _meta?: object | undefined
}

/**
 * The price of a tool, and what `registerTool` takes but an `outputSchema`: clients of version 1 would check prices
 * against it, and a result that does not fit it would be refused after the payment.
 */
export interface PaidTool<Schema, Input>
  extends Omit<SellerOptions<Input>, 'buyers' | 'clientAddress' | 'tab' | 'x402'> {
  readonly name: string
  readonly title?: string
  readonly inputSchema?: Schema
  readonly annotations?: object
  readonly _meta?: Record<string, unknown>
}

/** The arguments that a handler gets: what the schema makes of them. */
export type InputOf<Schema> = Schema extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined }
}
  ? Output
  : Record<string, unknown>

/**
 * Registers a tool that has to be paid, as x402's transport for MCP has it: a call without a payment gets the price as
 * a result with `isError`, and one with a payment in `_meta["x402/payment"]` is handled once that is verified. A
 * handler that throws or returns `isError` has failed: the payment is given back as `onFailure` says. The handler
 * always gets two arguments, the first one empty if the tool has no `inputSchema`; `paymentFor` of the second returns
 * the payment. A price is for these arguments only, so the schema has to make the same of the same arguments each time.
 * Returns what `registerTool` returns; throws a TypeError or RangeError for an invalid option.
 */
export function paidTool<Schema = undefined, Context extends object = object>(
  server: ToolServer,
  tool: PaidTool<Schema, InputOf<Schema>>,
  handler: (input: InputOf<Schema>, context: Context) => ToolResult | Promise<ToolResult>,
): unknown {
  if (typeof handler !== 'function') throw new TypeError('paidTool needs a handler')
  const { name, title, inputSchema, annotations, _meta, network, service, ...selling } = tool
  const seller = createSeller<InputOf<Schema>>(selling)
  const { description, nonceTtlMs: ttlMs = DEFAULT_NONCE_TTL_MS } = selling
  const rail = railOf(selling.client, { network, service })
  const resource = { url: `mcp://tool/${name}`, ...(description === undefined ? {} : { description }) }
  const sale: Sale = { resource, rail, ttlMs, name }

  async function response(input: InputOf<Schema>, context: Context): Promise<ToolResult> {
    const acceptance = await seller.accept(await sellerRequest(name, input, context), input)
    if (acceptance.kind === 'refused') return refusalOf(sale, acceptance.response)
    if (acceptance.kind === 'free') return handler(input, context)
    const { payment, finish } = acceptance
    let isServed = false
    try {
      signalOf(context)?.throwIfAborted()
      rememberPayment(context, payment)
      const result = await handler(input, context)
      isServed = result.isError !== true && result.resultType !== 'input_required'
      return {
        ...result,
        _meta: { ...result._meta, [PAYMENT_RESPONSE_META]: settled(payment, rail, isServed) },
      }
    } finally {
      await finish(isServed ? SERVED : FAILED)
    }
  }

  const config = { title, description, inputSchema, annotations, _meta }
  const given = Object.fromEntries(Object.entries(config).filter(([, value]) => value !== undefined))
  const callback =
    inputSchema === undefined
      ? (context: Context) => response({} as InputOf<Schema>, context)
      : (input: InputOf<Schema>, context: Context) => response(input, context)
  return server.registerTool(name, given, callback)
}

const SERVED = 200
const FAILED = 500

interface Sale {
  readonly name: string
  readonly resource: PaymentRequired['resource']
  readonly rail: PaymentRail
  readonly ttlMs: number
}

/** A call as the core of every seller takes it. Its path names the tool and the arguments, so a price is for both. */
async function sellerRequest(name: string, input: unknown, context: object): Promise<SellerRequest> {
  const payment = metaOf(context)[PAYMENT_META]
  const text = isFields(payment) ? JSON.stringify(payment['payload'] ?? null) : null
  // A longer one is no proof, and is not read.
  const proof = text && base64FromText(text.length <= MAX_HEADER_CHARACTERS ? text : '')
  return {
    method: 'tools/call',
    path: `/${encodeURIComponent(name)}?${await sha256(canonicalJson(plainJson(input)))}`,
    header: header => (header === PROOF_HEADER.toLowerCase() ? proof : null),
  }
}

/** `_meta` of a request: version 2 of the official SDK has it in `mcpReq`. */
function metaOf(context: object): Fields {
  const { _meta: meta } = requestIn(context)
  return isFields(meta) ? meta : {}
}

function signalOf(context: object): AbortSignal | undefined {
  const { signal } = requestIn(context)
  return signal instanceof AbortSignal ? signal : undefined
}

function requestIn(context: object): Fields {
  if (!isFields(context)) return {}
  const { mcpReq: request } = context
  return isFields(request) ? request : context
}

/** The price, and why a payment was refused. A payment that cannot be checked now must not look like a price. */
function refusalOf(
  { name, resource, rail, ttlMs }: Sale,
  { status, headers, body }: SellerResponse,
): ToolResult {
  const { error } = JSON.parse(body) as { error: { message: string; details: { reason?: string } } }
  const challenge = status === 402 ? decodeChallenge(headers[CHALLENGE_HEADER] ?? '') : null
  const notTaken = (errorReason: string): SettlementResponse => ({
    ...{ success: false, errorReason, transaction: '', network: rail.network },
  })
  if (challenge === null) {
    const text = `The payment cannot be checked now. Do not pay again: call ${name} again with the same payment.`
    const _meta = { [PAYMENT_RESPONSE_META]: notTaken('unexpected_verify_error') }
    return { isError: true, content: [{ type: 'text', text }], _meta }
  }
  const { payTo, amount } = challenge
  const { reason } = error.details
  const why = reason === undefined ? '' : `The payment was not accepted (${reason}). `
  const required: PaymentRequired = {
    x402Version: 2,
    error: `${why}${name} costs ${amount} INR. Pay ${payTo} with the nonce as the reference, and call again with the payment in _meta["${PAYMENT_META}"].`,
    resource,
    accepts: [requirementsOf(challenge, rail, ttlMs)],
    ...(reason === undefined ? {} : { [PAYMENT_RESPONSE_META]: notTaken(reason) }),
  }
  return {
    isError: true,
    structuredContent: required,
    content: [{ type: 'text', text: JSON.stringify(required) }],
  }
}

function settled(
  { paymentId, from }: AcceptedPayment,
  { network }: PaymentRail,
  isServed: boolean,
): SettlementResponse {
  const payment = { transaction: paymentId, network, payer: from }
  return isServed ? { success: true, ...payment } : { success: false, errorReason: 'not_served', ...payment }
}
