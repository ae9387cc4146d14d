import type { Client } from '../client/client.ts'
import { createServiceKeys } from '../client/service-keys.ts'
import { remembered } from '../client/timeouts.ts'
import { VERIFY_FAILURES } from '../protocol/x402.ts'
import { checkShown } from '../seller/check-authorization.ts'
import { checkReceipt } from '../seller/check-receipt.ts'
import { deadlineIn } from '../seller/deadline.ts'
import type { RefusalReason } from '../seller/options.ts'
import { createVerificationLimits, type Guess } from '../seller/verification-limits.ts'
import { type Attempts, isOfBuyer, proofIn, type ShownPayment } from './x402-attempts.ts'
import { createLater, requestOf } from './x402-give-back.ts'

/** x402's payment requirements. */
export interface ExactRequirements {
  scheme: string
  network: `${string}:${string}`
  asset: string
  amount: string
  payTo: string
  maxTimeoutSeconds: number
  extra: Record<string, unknown>
}

/** A payment that is verified. `transportContext` has the request that is paid for. */
export interface ExactVerification {
  readonly paymentPayload: ShownPayment
  readonly requirements: Readonly<Omit<ExactRequirements, 'extra'>> & { readonly extra: object }
  readonly transportContext?: unknown
}

/** A settlement in progress. */
export interface ExactSettlement extends ExactVerification {
  readonly phase: string
}

export type X402Verification = Awaited<ReturnType<Client['verifyX402Payment']>>

interface Selling {
  readonly client: Client
  readonly onError?: (error: unknown) => void
}

/** Why a payment is not for this request; null if it is. */
type Refuse = (context: ExactVerification) => Promise<string | null>

/** What a seller checks itself, so that invented payments are no burden to the service. */
interface Checks {
  onBeforeVerify(
    context: ExactVerification,
  ): Promise<void | { abort: true; reason: string } | { skip: true; result: X402Verification }>
  onVerifiedPaymentCanceled(context: ExactVerification): Promise<void>
  /** Why the service is not asked to settle a payment; null if it is. */
  refuse: Refuse
  /** The service is asked to settle it. Throws if too many such payments were invented. */
  begin(payment: ShownPayment): void
  /** It was settled; or why it was not. */
  end(payment: ShownPayment, error: Error | null): void
}

const TIMEOUT_MS = 5_000
/** x402's servers respond to them with 402, and the same payment may be shown again. */
const WITHOUT_RESPONSE = 'unexpected_verify_error'
const UNSETTLED = 'unexpected_settle_error'
const INVALID = { abort: true, reason: 'invalid_payload' } as const

function keysOf({ client }: Selling) {
  return createServiceKeys(
    () => client.getServiceKeys({}, { timeoutMs: TIMEOUT_MS, maxRetries: 0 }),
    Date.now,
  )
}

/** What was paid before is settled before, and refunded by a settlement. */
export function paidBefore(options: Selling, isFor: Refuse): Checks {
  const serviceKeys = keysOf(options)
  const limits = createVerificationLimits(Date.now)
  const passed = new WeakMap<ShownPayment, Guess>()
  const asked = new WeakMap<ShownPayment, ReturnType<typeof limits.begin>>()

  async function refuse(context: ExactVerification): Promise<string | null> {
    const reason = await isFor(context)
    if (reason !== null) return reason
    const { paymentPayload, requirements } = context
    const { nonce, transactionId, fromAgent, receipt } = proofIn(paymentPayload)
    const proof = {
      version: 1,
      transactionId: String(transactionId),
      fromAgent: String(fromAgent),
      nonce,
    } as const
    const key = `${nonce} ${proof.transactionId} ${proof.fromAgent}`
    const shown = typeof receipt === 'string' ? { ...proof, receipt } : proof
    const finding = await checkReceipt(serviceKeys, shown, requirements.payTo, deadlineIn(TIMEOUT_MS))
    if (finding.kind === 'refused') return finding.reason
    if (finding.kind === 'later') return UNSETTLED
    const isPaid = finding.kind === 'genuine'
    if (isPaid && finding.amountPaise < BigInt(requirements.amount)) return 'insufficient_amount'
    passed.set(paymentPayload, { proof: key, address: null, isPaid })
    return limits.lastReason(key)
  }
  return {
    onBeforeVerify: async ({ paymentPayload }) => (isOfBuyer(paymentPayload) ? undefined : INVALID),
    onVerifiedPaymentCanceled: async () => undefined,
    // x402's server goes on after a check that throws.
    refuse: context => refuse(context).catch(() => UNSETTLED),
    begin(payment) {
      const guess = passed.get(payment)
      try {
        if (guess !== undefined) return void asked.set(payment, limits.begin(guess))
      } catch {}
      throw new Error(UNSETTLED)
    },
    end(payment, error) {
      asked.get(payment)?.end(error === null ? null : reasonIn(error))
      asked.delete(payment)
    },
  }
}

/** Why the service refuses a payment; null if it has not said so. */
function reasonIn(error: object): RefusalReason | null {
  if (!('errorReason' in error)) return null
  return VERIFY_FAILURES.find(failure => failure === error.errorReason) ?? 'invalid_payment_header'
}

/** Reserves what was set aside for one request, and gives it back if the handler fails. */
export function setAsideBefore(options: Selling, attempts: Attempts, isFor: Refuse): Checks {
  const { client } = options
  const later = createLater(options)
  const offline = { serviceKeys: keysOf(options), agent: remembered(() => client.getCurrentAgent()) }
  const limits = createVerificationLimits(Date.now)

  /** Asks the service, unless the payment is none, or was asked about too often. */
  async function verify({
    paymentPayload,
    requirements,
  }: ExactVerification): Promise<X402Verification | null> {
    const { authorization, fromAgent, nonce } = proofIn(paymentPayload)
    const shown = { authorization: String(authorization), fromAgent: String(fromAgent), nonce }
    const finding = await checkShown(offline, shown, deadlineIn(TIMEOUT_MS))
    if (finding.kind === 'later') return null
    if (finding.kind === 'refused') return { isValid: false, invalidReason: finding.reason }
    const asked = limits.begin({ proof: finding.key, address: null, isPaid: finding.isPaid })
    let reason: RefusalReason | null = null
    try {
      const attempt = attempts.begin(paymentPayload)
      const result = await client.verifyX402Payment(requestOf(paymentPayload, requirements, { attempt }))
      // Which one does not matter here.
      if (!result.isValid) reason = 'transaction_not_found'
      return result
    } finally {
      asked.end(reason)
    }
  }
  return {
    // x402's server verifies without an attempt, which only a settlement can add: so this asks the service.
    async onBeforeVerify(context) {
      if (!isOfBuyer(context.paymentPayload)) return INVALID
      const reason = await isFor(context)
      if (reason !== null) return { abort: true, reason }
      const { paymentPayload, requirements } = context
      try {
        const result = await verify(context)
        return result === null ? { abort: true, reason: WITHOUT_RESPONSE } : { skip: true, result }
      } catch {
        attempts.reopen(paymentPayload, requirements.maxTimeoutSeconds * 1_000)
        return { abort: true, reason: WITHOUT_RESPONSE }
      }
    },
    async onVerifiedPaymentCanceled({ paymentPayload, requirements }) {
      const cancel = { attempt: attempts.of(paymentPayload), phase: 'cancel' }
      await later.giveBack(requestOf(paymentPayload, requirements, cancel))
    },
    // It has passed when it was verified.
    refuse: async () => null,
    begin() {},
    end() {},
  }
}
