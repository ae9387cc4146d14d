import { connectionOf, optionsOf } from '../client/client.ts'
import { type BatuaError, type BatuaErrorCode, isBatuaError } from '../client/errors.ts'
import { decideRetry } from '../client/retry.ts'
import { paiseFromRupees, rupeesNumber } from '../protocol/amount.ts'
import { isReceiptToken } from '../protocol/headers.ts'
import { isAgentId, payeeName } from '../protocol/payee.ts'
import type { Buyer } from './buyer.ts'
import { invalidResponse } from './invalid-response.ts'
import type { Purchase } from './journal.ts'
import { PurchaseError, type PurchaseErrorCode, type PurchaseErrorFacts } from './purchase-error.ts'
import { voucherKeyOf, voucherSecretOf } from './voucher-key.ts'

/** The state of a purchase's payment. */
export type PaymentState =
  | {
      readonly kind: 'paid'
      readonly paymentId: string
      /** The token of its receipt, or of the authorization; absent if it was found and not just made. */
      readonly receipt?: string
    }
  | { readonly kind: 'waiting'; readonly approvalId: string }

/** A purchase and what it is for. */
export interface PurchaseInProgress {
  readonly purchase: Purchase
  readonly url: URL
  readonly signal: AbortSignal | undefined
  /** Started by an earlier call, which may have paid. */
  readonly isResumed: boolean
}

/**
 * With these codes the service has decided not to pay, after it looked for an earlier payment. After every other error
 * it may have paid.
 */
const REFUSALS: ReadonlySet<BatuaErrorCode> = new Set<BatuaErrorCode>([
  'validation_error',
  'insufficient_balance',
  'authorization_error',
  'spend_limit_exceeded',
  'escrow_required',
  'policy_denied',
  'kyc_required',
  'not_found',
])

const FIRST_POLL_MS = 1_000
const MAX_POLL_MS = 30_000
const POLL_GROWTH = 1.5
/** Of a payment, or of an authorization. */
const PAYMENT_ID = /^(?:pay|ath)_/
const PAGE = 100

/**
 * Pays a purchase, or finds its payment: the nonce is a unique reference, so the payment is made once, however often
 * this is tried; an additional key would cost the service two more commits. A refusal is recorded and thrown. Every
 * try is recorded before it is made, the first by the start of the purchase: while one may be in progress, the
 * purchase is not abandoned.
 */
export async function ensurePayment(buyer: Buyer, sale: PurchaseInProgress): Promise<PaymentState> {
  let hasLooked = false
  for (let tries = 1; ; tries++) {
    const isFirst = tries === 1 && !sale.isResumed
    if (!isFirst) await noteTry(buyer, sale)
    try {
      return await pay(buyer, sale)
    } catch (error) {
      if (sale.signal?.aborted === true || !isBatuaError(error)) throw error
      // A key that was never valid has paid nothing.
      if (REFUSALS.has(error.code) || (isFirst && error.status === 401)) {
        await noteUnpaid(buyer, sale)
        throw error
      }
      if (!hasLooked && (await waitForNextTry(buyer, sale, error, tries))) continue
      const found = await findIfPossible(buyer, sale, error)
      if (found !== null) return found
      if (hasLooked) throw error
      hasLooked = true
    }
  }
}

async function noteTry({ journal, time }: Buyer, { purchase }: PurchaseInProgress): Promise<void> {
  await journal.update(purchase.id, { state: 'paying', triedAt: time.now() })
}

/** Waits as the client would before a retry; false: it would not retry. */
async function waitForNextTry(
  { client, time }: Buyer,
  { signal }: PurchaseInProgress,
  { code, status, retryAfterMs }: BatuaError,
  attempt: number,
): Promise<boolean> {
  const { maxRetries, onRetry } = connectionOf(optionsOf(client))
  const failed = { isSafe: true, attempt, maxRetries, code, status, retryAfterMs, random: Math.random() }
  const delayMs = decideRetry(failed)
  if (delayMs === null) return false
  onRetry?.({ operation: 'pay', attempt, delayMs, code })
  await time.wait(delayMs, signal)
  return true
}

async function pay(buyer: Buyer, sale: PurchaseInProgress): Promise<PaymentState> {
  const { client, agentId, terms } = buyer
  const { purchase, signal } = sale
  const { setAsideSeconds = null } = purchase
  if (setAsideSeconds !== null) return setAside(buyer, sale, setAsideSeconds)
  const { key, context } = terms.payment
  const {
    payment_id: paymentId,
    approval_id: approvalId,
    receipt_token: receipt,
  } = await client.pay(
    {
      agent_id: await agentId(signal),
      to: purchase.payTo,
      amount: rupeesNumber(purchase.amountPaise),
      reference: purchase.nonce,
      unique_reference: true,
      receipt_token: true,
      note: `Pay-per-call: ${purchase.host}`,
      ...(key === undefined ? {} : { idempotency_key: key }),
      ...(context === undefined ? {} : { context }),
    },
    { idempotencyKey: null, maxRetries: 0, ...abortable(signal) },
  )
  return stateOf(paymentId, approvalId, receipt)
}

/**
 * Sets the price of a purchase aside for the payee, or finds what an earlier try has set aside: the key is made of the
 * nonce, so the money is set aside once, however often this is tried.
 */
async function setAside(
  buyer: Buyer,
  { purchase, signal }: PurchaseInProgress,
  expires_in: number,
): Promise<PaymentState> {
  const { client, agentId, terms } = buyer
  const { key = `x402-${purchase.nonce}`, context } = terms.payment
  const voucherKey = purchase.byVoucher && (await voucherKeyOf(voucherSecretOf(buyer), purchase.nonce))
  const order = {
    agent_id: await agentId(signal),
    to: purchase.payTo,
    amount: rupeesNumber(purchase.amountPaise),
    ...{ expires_in, reference: purchase.nonce, idempotency_key: key },
    ...(context === undefined ? {} : { context }),
    ...(voucherKey ? { voucher_key: voucherKey.publicKey } : {}),
  }
  try {
    const made = await client.authorize(order, { idempotencyKey: null, maxRetries: 0, ...abortable(signal) })
    const approvalId = 'approval_id' in made ? made.approval_id : null
    return stateOf(made.authorization_id, approvalId, made.token)
  } catch (error) {
    if (!isBatuaError(error) || error.code !== 'idempotency_error') throw error
    const { same_request, authorization_id, approval_id } = error.details
    if (same_request !== true) throw error
    return stateOf(authorization_id ?? null, approval_id ?? null)
  }
}

/** Whether the price is captured after the request. */
export function isSetAside({ setAsideSeconds = null }: Purchase): boolean {
  return setAsideSeconds !== null
}

/** A response of another server, such as a proxy that requires a log-in, has neither. */
function stateOf(paymentId: unknown, approvalId: unknown, receipt?: unknown): PaymentState {
  if (typeof paymentId === 'string' && PAYMENT_ID.test(paymentId)) {
    return isReceiptToken(receipt) ? { kind: 'paid', paymentId, receipt } : { kind: 'paid', paymentId }
  }
  if (paymentId !== null || typeof approvalId !== 'string') throw invalidResponse('payment_id')
  return { kind: 'waiting', approvalId }
}

/** If the service cannot be asked, its earlier error is more informative. */
async function findIfPossible(
  buyer: Buyer,
  sale: PurchaseInProgress,
  failure: BatuaError,
): Promise<PaymentState | null> {
  try {
    return await findPayment(buyer, sale)
  } catch (error) {
    throw isBatuaError(error) ? failure : error
  }
}

/** The payment of a purchase whose response was lost; null if there is none so far. */
export async function findPayment(buyer: Buyer, sale: PurchaseInProgress): Promise<PaymentState | null> {
  const { client } = buyer
  const { purchase, signal } = sale
  // Trying again finds it, and makes none twice.
  if (isSetAside(purchase)) return null
  const options = abortable(signal)
  const agent_id = await buyer.agentId(signal)
  const { payments } = await client.listPayments(
    { agent_id, reference: purchase.nonce, limit: PAGE },
    options,
  )
  if (!Array.isArray(payments)) throw invalidResponse('payments')
  if (payments.length === 0) return null

  const payee = payeeName(purchase.payTo)
  const payeeId = isAgentId(payee)
    ? payee
    : (await client.getAgentExistence({ agent_id: payee }, options)).agent_id
  if (typeof payeeId !== 'string') throw invalidResponse('agent_id')
  // Another payee's payment does not matter: a reference is unique for each payee.
  const toPayee = payments.filter(payment => payment.to === payeeId)
  const found = toPayee.find(payment => paiseFromRupees(payment.amount) === purchase.amountPaise)
  if (found !== undefined) return stateOf(found.payment_id, found.approval_id)

  const [other] = toPayee
  if (other === undefined) return null
  await noteUnpaid(buyer, sale)
  throw failed(
    sale,
    'payment_mismatch',
    `With this nonce ${other.amount} INR were paid before, another amount than is asked for`,
    { paymentId: other.payment_id },
  )
}

/** The status of an approval. A rejected or expired one is recorded and thrown. */
export async function askApproval(
  buyer: Buyer,
  sale: PurchaseInProgress,
  approvalId: string,
): Promise<PaymentState> {
  const {
    status,
    payment_id: paymentId,
    authorization_id: authorizationId,
  } = await buyer.client.getApproval({ approval_id: approvalId }, abortable(sale.signal))
  switch (status) {
    case 'approved':
    case 'pending_approval':
      return stateOf(paymentId ?? authorizationId, approvalId)
    case 'rejected':
      await noteUnpaid(buyer, sale)
      throw failed(sale, 'approval_rejected', 'The owner has rejected the payment', { approvalId })
    case 'expired':
      await noteUnpaid(buyer, sale)
      throw failed(sale, 'approval_expired', 'The owner did not decide in time', { approvalId })
    default:
      throw invalidResponse('status')
  }
}

/** Whether the approval is queried again after this error. */
function passes({ code, status }: BatuaError): boolean {
  return code === 'network_error' || code === 'timeout' || status === 429 || (status ?? 0) >= 500
}

/** Waits until the owner decides; returns the payment. */
export async function awaitApproval(
  buyer: Buyer,
  sale: PurchaseInProgress,
  approvalId: string,
): Promise<string> {
  const { time, terms } = buyer
  const deadline = time.now() + terms.approvalTimeoutMs
  for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * POLL_GROWTH, MAX_POLL_MS)) {
    const settlement = await askApproval(buyer, sale, approvalId).catch(error => {
      if (sale.signal?.aborted !== true && isBatuaError(error) && passes(error)) return null
      throw error
    })
    if (settlement?.kind === 'paid') return settlement.paymentId
    const leftMs = deadline - time.now()
    if (leftMs <= 0) {
      throw failed(sale, 'approval_timeout', 'The owner has not decided yet; the same call goes on waiting', {
        approvalId,
      })
    }
    await time.wait(Math.min(delayMs, leftMs), sale.signal)
  }
}

export function abortable(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

async function noteUnpaid({ journal }: Buyer, { purchase }: PurchaseInProgress): Promise<void> {
  await journal.finish(purchase.id, { state: 'unpaid', paymentId: null })
}

/** The error of a failed purchase. */
export function failed(
  { purchase, url }: PurchaseInProgress,
  code: PurchaseErrorCode,
  message: string,
  facts: Partial<Pick<PurchaseErrorFacts, 'paymentId' | 'refunded' | 'approvalId' | 'response'>>,
): PurchaseError {
  return new PurchaseError({ code, message, url: url.href, nonce: purchase.nonce, ...facts })
}
