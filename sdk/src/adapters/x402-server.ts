import { type Client, credentialOf } from '../client/client.ts'
import { paiseFromRupees } from '../protocol/amount.ts'
import { isServed } from '../protocol/messages.ts'
import { isFields, isFinal, NETWORKS, type PaymentFlow, type Scheme } from '../protocol/x402.ts'
import { payeeIn, secretsOf } from '../seller/context.ts'
import { decideAge } from '../seller/decide.ts'
import { createNonces, issuedAtOf, type Quote, type Surroundings } from '../seller/nonce.ts'
import { createAttempts, proofIn } from './x402-attempts.ts'
import {
  type ExactRequirements,
  type ExactSettlement,
  type ExactVerification,
  paidBefore,
  setAsideBefore,
  type X402Verification,
} from './x402-checks.ts'
import { createLater } from './x402-give-back.ts'

/** The options of `uptoServer`. */
export interface UptoServerOptions {
  /** A client with the payee's agent key. */
  readonly client: Client
  /** Signs nonces, as for `requirePayment`; by default derived from the client's agent key. */
  readonly secret?: string | readonly string[]
  /** Called if what was paid or set aside could not be given back. Absent: a warning of the process, or on the console. */
  readonly onError?: (error: unknown) => void
}

export interface ExactServerOptions extends UptoServerOptions {
  /**
   * `upfront` (the default): the payment is made before the request and settled before the handler runs.
   * `authorization`: the price is set aside before the request and captured after it, so a handler that fails costs the
   * buyer nothing.
   */
  readonly paymentFlow?: PaymentFlow
}

/** What x402's server needs of a scheme. */
export interface X402SchemeServer<Name extends Scheme> {
  readonly scheme: Name
  readonly defaultAssetTransferMethod: 'default'
  readonly paymentFlows: Record<'default', { supported: readonly [PaymentFlow]; default: PaymentFlow }>
  readonly dynamicExtraFields: string[]
  readonly schemeHooks: {
    onBeforeVerify(
      context: ExactVerification,
    ): Promise<void | { abort: true; reason: string } | { skip: true; result: X402Verification }>
    onVerifiedPaymentCanceled(context: ExactVerification): Promise<void>
    onBeforeSettle(context: ExactSettlement): Promise<void | { abort: true; reason: string }>
    onAfterSettle(context: ExactSettlement): Promise<void>
    onSettleFailure(context: ExactSettlement & { readonly error: Error }): Promise<void>
  }
  parsePrice(price: unknown): Promise<{ amount: string; asset: string }>
  enhancePaymentRequirements(
    requirements: ExactRequirements,
    kind: { readonly extra?: Record<string, unknown> },
  ): Promise<ExactRequirements>
  enrichPaymentRequiredResponse(context: {
    readonly requirements: ExactRequirements[]
    readonly transportContext?: unknown
  }): Promise<ExactRequirements[]>
  enrichSettlementPayload(context: ExactSettlement): Promise<Record<string, unknown>>
  settleOnCancel(
    context: ExactSettlement & { readonly responseStatus?: number },
  ): ExactRequirements | undefined
}

export type ExactServer = X402SchemeServer<'exact'>
export type UptoServer = X402SchemeServer<'upto'>

/**
 * The scheme `exact` for the unmodified servers of x402 (`@x402/express`, `@x402/hono`), with the service as the
 * facilitator:
 *
 *     const facilitator = new HTTPFacilitatorClient(facilitatorOf(client))
 *     const server = new x402ResourceServer(facilitator).register('batua:inr', exactServer({ client }))
 *     app.use(paymentMiddleware({ 'GET /weather': { accepts: [{ scheme: 'exact', network: 'batua:inr',
 *       payTo: 'weather-pune', price: '2.50' }] } }, server))
 *
 * A price is rupees (`2.5`, `'2.50'`). Its nonce is valid for this method, path, price and payee only, for
 * `maxTimeoutSeconds` (300 by default), and needs no storage. A handler that fails (5xx, 408, 425, 429) has the payment
 * refunded, without the fee; with `paymentFlow: 'authorization'` every response from 400 on costs the buyer nothing.
 * Throws a TypeError or RangeError for invalid options.
 */
export function exactServer(options: ExactServerOptions): ExactServer {
  const { paymentFlow = 'upfront' } = options
  if (paymentFlow !== 'upfront' && paymentFlow !== 'authorization')
    throw new TypeError("paymentFlow is 'upfront' or 'authorization'")
  return createSchemeServer('exact', paymentFlow, options)
}

/**
 * The scheme `upto`, like `exactServer` with the flow `authorization`: the price is the most that a request costs, and
 * the handler says how much it did (`setSettlementOverrides` of x402's packages: `{ amount: '120' }` in paise, or
 * `{ amount: '40%' }`). Of 0 nothing is charged, not even a fee.
 */
export function uptoServer(options: UptoServerOptions): UptoServer {
  return createSchemeServer('upto', 'authorization', options)
}

/** Where x402's `HTTPFacilitatorClient` finds the service, with the key of the client's agent. */
export function facilitatorOf(client: Client) {
  const { agentKey } = credentialOf(client)
  if (agentKey === undefined) throw new TypeError('the client of a seller needs the agentKey of the payee')
  const headers = { 'x-agent-key': agentKey }
  return {
    url: `${client.baseUrl}/v1/x402`,
    createAuthHeaders: async () => ({ verify: headers, settle: headers, supported: headers }),
  }
}

const SURROUNDINGS: Surroundings = {
  now: Date.now,
  randomBytes: count => crypto.getRandomValues(new Uint8Array(count)),
}

function createSchemeServer<Name extends Scheme>(
  scheme: Name,
  paymentFlow: PaymentFlow,
  options: UptoServerOptions,
): X402SchemeServer<Name> {
  const nonces = createNonces(secretsOf(options), SURROUNDINGS)
  const attempts = createAttempts(SURROUNDINGS)
  const later = createLater(options)
  const isUpfront = paymentFlow === 'upfront'

  /** Why a payment is not for this request; null if it is. */
  async function refuse({ paymentPayload, requirements, transportContext }: ExactVerification) {
    const { nonce } = proofIn(paymentPayload)
    const issuedAt = issuedAtOf(nonce)
    const quote = quoteOf(requirements, transportContext)
    if (issuedAt === null || quote === null || !(await nonces.fits(nonce, quote))) return 'nonce_not_ours'
    const isAwaited = attempts.isOpen(paymentPayload)
    return decideAge({ issuedAt, now: SURROUNDINGS.now(), ttlMs: quote.ttlMs, isAwaited })
  }

  const checks = isUpfront ? paidBefore(options, refuse) : setAsideBefore(options, attempts, refuse)

  return {
    scheme,
    defaultAssetTransferMethod: 'default',
    paymentFlows: { default: { supported: [paymentFlow], default: paymentFlow } },
    // A repeated payment shows the nonce of the price that it was made for, and each response has another.
    dynamicExtraFields: ['nonce'],
    schemeHooks: {
      onBeforeVerify: checks.onBeforeVerify,
      onVerifiedPaymentCanceled: checks.onVerifiedPaymentCanceled,
      async onBeforeSettle(context) {
        const reason = context.phase === 'cancel' ? null : await checks.refuse(context)
        return reason === null ? undefined : { abort: true, reason }
      },
      onAfterSettle: async ({ paymentPayload }) => checks.end(paymentPayload, null),
      async onSettleFailure({ paymentPayload, requirements, phase, error }) {
        checks.end(paymentPayload, error)
        if (isFinal(error)) return
        // A refund that the service refused leaves a payment that can be served; one that is unknown does not.
        if (phase === 'cancel' && !('errorReason' in error)) void later.refund(proofIn(paymentPayload))
        else attempts.reopen(paymentPayload, requirements.maxTimeoutSeconds * 1_000)
      },
    },
    parsePrice: async price => priceOf(price),
    async enhancePaymentRequirements(requirements, { extra }) {
      payeeIn(requirements.payTo)
      return { ...requirements, extra: { ...requirements.extra, service: extra?.['service'] } }
    },
    enrichPaymentRequiredResponse: ({ requirements, transportContext }) =>
      Promise.all(
        requirements.map(async each => {
          const quote = isOurs(each, scheme) ? quoteOf(each, transportContext) : null
          return quote === null || 'nonce' in each.extra
            ? each
            : { ...each, extra: { ...each.extra, nonce: await nonces.make(quote) } }
        }),
      ),
    async enrichSettlementPayload({ paymentPayload, phase }) {
      if (phase === 'cancel') return { attempt: attempts.of(paymentPayload), phase }
      checks.begin(paymentPayload)
      return { attempt: isUpfront ? attempts.begin(paymentPayload) : attempts.of(paymentPayload) }
    },
    settleOnCancel({ requirements, responseStatus }) {
      if (responseStatus !== undefined && isServed(responseStatus)) return undefined
      return { ...requirements, extra: { ...requirements.extra } }
    },
  }
}

function isOurs(requirements: ExactRequirements, name: Scheme): boolean {
  return requirements.scheme === name && NETWORKS.includes(requirements.network)
}

/** The used part of the request in x402's transport over HTTP. */
interface HttpTransport {
  readonly request: { readonly adapter: { getMethod(): string; getUrl(): string } }
}

/** What a nonce is valid for; null if it is no request over HTTP. */
function quoteOf(
  { amount, payTo, maxTimeoutSeconds }: Pick<ExactRequirements, 'amount' | 'payTo' | 'maxTimeoutSeconds'>,
  transport: unknown,
): Quote | null {
  if (!isFields(transport) || !isFields(transport['request'])) return null
  const { adapter } = (transport as unknown as HttpTransport).request
  // The host is what the buyer sent, and may be no host at all.
  const path = adapter.getUrl().replace(/^[^/]*\/\/[^/]*/, '')
  const asked = { method: adapter.getMethod(), path }
  return { ...asked, amountPaise: BigInt(amount), payTo, ttlMs: maxTimeoutSeconds * 1_000, usedAt: 'service' }
}

/** A price is rupees; an amount with its asset is in paise, as everywhere in x402. */
function priceOf(price: unknown): { amount: string; asset: string } {
  if (isFields(price)) {
    const { amount, asset } = price
    if (asset !== 'INR' || typeof amount !== 'string' || !/^\d+$/.test(amount))
      throw new RangeError('an amount of INR is a string of paise')
    return { amount, asset }
  }
  if (typeof price !== 'string' && typeof price !== 'number')
    throw new TypeError('a price is rupees, or { amount, asset } in paise')
  return { amount: paiseFromRupees(price).toString(), asset: 'INR' }
}
