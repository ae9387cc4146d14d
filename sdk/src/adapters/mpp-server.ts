import type { Client } from '../client/client.ts'
import { encodeProof } from '../protocol/headers.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import { chargeOf } from '../protocol/mpp.ts'
import { railOf } from '../protocol/x402.ts'
import { checkProof } from '../seller/check-proof.ts'
import { openContext, type SellerContext } from '../seller/context.ts'
import type { Quote } from '../seller/nonce.ts'
import type { RefusalReason } from '../seller/options.ts'
import { CHARGE_METHOD, type ChargeMethod, type ChargeOptions } from './mpp-schema.ts'

/** The used part of mppx's `Errors`. */
export interface MppErrors {
  readonly VerificationFailedError: new (options: { readonly reason: string }) => Error
}

export interface ChargeServerOptions {
  /** A client with the payee's agent key. */
  readonly client: Client
  /** The payee: the agent's handle or id. */
  readonly payTo: string
  /** Signs nonces, as for `requirePayment`; by default derived from the client's agent key. */
  readonly secret?: string | readonly string[]
  /** How long a nonce is valid; 10 minutes by default. mppx's own `expires` is 5 minutes by default. */
  readonly nonceTtlMs?: number
  /** How long one request may wait for the service, retries included; 5,000 ms by default. */
  readonly verifyTimeoutMs?: number
  /** The origin at which buyers know the service; by default the client's. */
  readonly service?: string
  /** mppx's `Errors`, where this package cannot import `mppx` itself. */
  readonly errors?: MppErrors
  /** Called with errors that the buyer does not see. Absent: a warning of the process, or on the console. */
  readonly onError?: (error: unknown) => void
}

/** A request as mppx captured it. */
interface CapturedRequest {
  readonly method: string
  readonly url: URL
}

/** What mppx writes into `Payment-Receipt`. */
export interface MppReceipt {
  readonly method: 'batua'
  /** The payment, or the authorization. */
  readonly reference: string
  readonly status: 'success'
  readonly timestamp: string
  /** Of a session: the amount in all that the seller counts, INR. */
  readonly total?: string
}

/** What mppx's server needs of a method. */
export interface MppServer {
  readonly defaults: { readonly recipient: string }
  request(context: {
    readonly capturedRequest?: CapturedRequest
    readonly request: ChargeOptions
  }): Promise<ChargeOptions>
  verify(context: {
    readonly credential: { readonly payload: unknown; readonly challenge: { readonly request: object } }
    readonly envelope?: { readonly capturedRequest: CapturedRequest }
  }): Promise<MppReceipt>
}

export type ChargeServer = ChargeMethod & MppServer

/**
 * The method `batua` with the intent `charge` for the unmodified servers of MPP (`mppx/server`, `mppx/express`,
 * `mppx/hono`):
 *
 *     const mppx = Mppx.create({ methods: [chargeServer({ client, payTo: 'weather-pune' })], secretKey })
 *     app.get('/weather', mppx.charge({ amount: '2.50' }), handler)
 *
 * An amount is rupees. Each challenge has a nonce of its own, signed for the method, path, price and payee; ids of
 * challenges do not suffice, because those of one millisecond are equal. The payment is verified and its nonce used up
 * before the handler runs. mppx reports to nobody that a handler failed, so the seller refunds then
 * (`client.refundPayment`). If the service cannot be asked, the response is 503 and the payment stays valid. Throws a
 * TypeError or RangeError for invalid options.
 */
export function chargeServer(options: ChargeServerOptions): ChargeServer {
  const context = contextOf(options)
  return {
    ...CHARGE_METHOD,
    ...createServer(context, options, (payload, quote) => {
      const proof = CHARGE_METHOD.schema.credential.payload.parse(payload)
      return takeCharge(context, options, proof, quote)
    }),
  }
}

/** @internal The price is in the challenge, which mppx signs and compares with that of the route. */
export function contextOf(options: ChargeServerOptions): SellerContext {
  return openContext({ ...options, amount: 1 }, SURROUNDINGS)
}

/**
 * @internal The hooks of a method: challenges have nonces of this seller, and `take` takes what is shown for a quote.
 */
export function createServer(
  context: SellerContext,
  options: ChargeServerOptions,
  take: (payload: unknown, quote: Quote) => Promise<MppReceipt>,
): MppServer {
  const { service } = railOf(options.client, { service: options.service })
  return {
    defaults: { recipient: context.payTo },
    async request({ capturedRequest, request }) {
      if (capturedRequest === undefined) return request
      const { recipient = context.payTo } = request
      if (recipient !== context.payTo) throw new TypeError('recipient is the payTo of chargeServer')
      const { amount } = CHARGE_METHOD.schema.request.parse(request)
      const quote = quoteFor(context, capturedRequest, BigInt(amount ?? 0))
      const resource = `${quote.method} ${quote.path}`
      return { ...request, methodDetails: { nonce: await context.nonces.make(quote), service, resource } }
    },
    async verify({ credential, envelope }) {
      const charge = chargeOf({ ...credential.challenge.request })
      if (charge === null || envelope === undefined) throw await refusal(options, 'nonce_not_ours')
      const amountPaise = BigInt(charge.challenge.amount.replace('.', ''))
      return take(credential.payload, quoteFor(context, envelope.capturedRequest, amountPaise))
    },
  }
}

const SURROUNDINGS = {
  now: Date.now,
  randomBytes: (count: number) => crypto.getRandomValues(new Uint8Array(count)),
}

function quoteFor(
  { payTo, nonceTtlMs: ttlMs, usedAt }: SellerContext,
  { method, url }: CapturedRequest,
  amountPaise: bigint,
): Quote {
  return { method, path: url.pathname + url.search, amountPaise, payTo, ttlMs, usedAt }
}

async function takeCharge(
  context: SellerContext,
  options: ChargeServerOptions,
  proof: PaymentProof,
  quote: Quote,
): Promise<MppReceipt> {
  const outcome = await checkProof(context, encodeProof(proof), quote, null)
  switch (outcome.kind) {
    case 'paid': {
      const timestamp = new Date(context.surroundings.now()).toISOString()
      return { method: 'batua', reference: outcome.payment.paymentId, status: 'success', timestamp }
    }
    case 'refused':
    case 'given_back':
      throw await refusal(options, outcome.reason)
    case 'no_response':
      throw await unavailable(options)
  }
}

const UNAVAILABLE = 503

/** @internal What is shown stays valid. */
export async function unavailable(options: ChargeServerOptions): Promise<Error> {
  return Object.assign(await refusal(options, 'service_unavailable'), { status: UNAVAILABLE })
}

/** @internal mppx responds with its own errors as they say, and with 500 to all others. */
export async function refusal(
  { errors }: ChargeServerOptions,
  reason: RefusalReason | 'service_unavailable',
): Promise<Error> {
  const { VerificationFailedError } = errors ?? (await errorsOfMppx())
  return new VerificationFailedError({ reason })
}

/** Not resolved before it is needed: sellers that use this have mppx, and this package does not. */
async function errorsOfMppx(): Promise<MppErrors> {
  const name: string = 'mppx'
  const { Errors } = (await import(name)) as { readonly Errors: MppErrors }
  return Errors
}
