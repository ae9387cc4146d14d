import { type BatuaError, type BatuaErrorCode, isBatuaError } from '../client/errors.ts'
import { paiseFromRupees, rupeesNumber } from '../protocol/amount.ts'
import type { Buyer } from './buyer.ts'
import type { Purchase } from './journal.ts'
import { PurchaseError, type PurchaseErrorCode } from './purchase-error.ts'
import { payeeName } from './terms.ts'

/** How the payment of a purchase stands. */
export type Settlement =
  | { readonly kind: 'paid'; readonly paymentId: string }
  | { readonly kind: 'waiting'; readonly approvalId: string }

/** A purchase and what it is for. */
export interface Sale {
  readonly purchase: Purchase
  readonly url: URL
  readonly signal: AbortSignal | undefined
}

/**
 * With these the service has decided that it does not pay, and it decides so after it has looked for what was paid before.
 * After every other error it may have paid.
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

/** An approval is asked for again after these. */
const PASSING: ReadonlySet<BatuaErrorCode> = new Set<BatuaErrorCode>([
  'network_error',
  'timeout',
  'rate_limit_exceeded',
  'internal_error',
  'gateway_error',
  'service_unavailable',
])

const MAX_ATTEMPTS = 2
const FIRST_POLL_MS = 1_000
const MAX_POLL_MS = 30_000
const POLL_GROWTH = 1.5
const AGENT_ID = /^agt_/
const PAGE = 100

/**
 * Pays a purchase, or finds that it was paid: the nonce is a unique reference and the purchase an idempotency key, so that
 * the payment happens once however often this is tried. A refusal is noted and thrown.
 */
export async function settlePayment(buyer: Buyer, sale: Sale): Promise<Settlement> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await pay(buyer, sale)
    } catch (error) {
      if (sale.signal?.aborted === true || !isBatuaError(error)) throw error
      if (REFUSALS.has(error.code)) {
        await noteUnpaid(buyer, sale)
        throw error
      }
      const found = await findIfPossible(buyer, sale, error)
      if (found !== null) return found
      if (attempt === MAX_ATTEMPTS) throw error
    }
  }
}

async function pay({ client, agentId }: Buyer, { purchase, signal }: Sale): Promise<Settlement> {
  const { payment_id: paymentId, approval_id: approvalId } = await client.pay(
    {
      agent_id: await agentId(signal),
      to: purchase.payTo,
      amount: rupeesNumber(purchase.amountPaise),
      reference: purchase.nonce,
      unique_reference: true,
      note: `Pay-per-call: ${purchase.host}`,
    },
    { idempotencyKey: purchase.id, ...abortable(signal) },
  )
  return settlementOf(paymentId, approvalId)
}

function settlementOf(paymentId: string | null, approvalId: string | undefined): Settlement {
  if (paymentId !== null) return { kind: 'paid', paymentId }
  if (approvalId === undefined) throw new TypeError('The service named neither a payment nor an approval')
  return { kind: 'waiting', approvalId }
}

/** When the service cannot even be asked, what it failed with before tells more. */
async function findIfPossible(buyer: Buyer, sale: Sale, failure: BatuaError): Promise<Settlement | null> {
  try {
    return await findPayment(buyer, sale)
  } catch (error) {
    throw isBatuaError(error) ? failure : error
  }
}

/** The payment of a purchase of which the answer was lost; null when there is none, so far. */
export async function findPayment(buyer: Buyer, sale: Sale): Promise<Settlement | null> {
  const { client } = buyer
  const { purchase, signal } = sale
  const options = abortable(signal)
  const agent_id = await buyer.agentId(signal)
  const { payments } = await client.listPayments(
    { agent_id, reference: purchase.nonce, limit: PAGE },
    options,
  )
  if (payments.length === 0) return null

  const payee = payeeName(purchase.payTo)
  const payeeId = AGENT_ID.test(payee)
    ? payee
    : (await client.getAgentExistence({ agent_id: payee }, options)).agent_id
  // Another payee's payment is no concern of this one: a reference is unique for each payee.
  const toPayee = payments.filter(payment => payment.to === payeeId)
  const found = toPayee.find(payment => paiseFromRupees(payment.amount) === purchase.amountPaise)
  if (found !== undefined) return settlementOf(found.payment_id, found.approval_id)

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

/** How an approval stands now. A rejected or expired one is noted and thrown. */
export async function askApproval(buyer: Buyer, sale: Sale, approvalId: string): Promise<Settlement> {
  const { status, payment_id: paymentId } = await buyer.client.getApproval(
    { approval_id: approvalId },
    abortable(sale.signal),
  )
  switch (status) {
    case 'approved':
    case 'pending_approval':
      return settlementOf(paymentId, approvalId)
    case 'rejected':
      await noteUnpaid(buyer, sale)
      throw failed(sale, 'approval_rejected', 'The owner has rejected the payment', { approvalId })
    case 'expired':
      await noteUnpaid(buyer, sale)
      throw failed(sale, 'approval_expired', 'The owner did not decide in time', { approvalId })
  }
}

/** Waits until the owner decides; answers the payment. */
export async function awaitApproval(buyer: Buyer, sale: Sale, approvalId: string): Promise<string> {
  const { time, terms } = buyer
  const deadline = time.now() + terms.approvalTimeoutMs
  for (let delayMs = FIRST_POLL_MS; ; delayMs = Math.min(delayMs * POLL_GROWTH, MAX_POLL_MS)) {
    const settlement = await askApproval(buyer, sale, approvalId).catch(error => {
      if (sale.signal?.aborted !== true && isBatuaError(error) && PASSING.has(error.code)) return null
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

function abortable(signal: AbortSignal | undefined): { readonly signal?: AbortSignal } {
  return signal === undefined ? {} : { signal }
}

async function noteUnpaid({ journal }: Buyer, { purchase }: Sale): Promise<void> {
  await journal.update(purchase.id, { state: 'unpaid', paymentId: null })
}

/** The error of a sale that did not come off. */
export function failed(
  { purchase, url }: Sale,
  code: PurchaseErrorCode,
  message: string,
  facts: { readonly paymentId?: string | null; readonly approvalId?: string; readonly response?: Response },
): PurchaseError {
  return new PurchaseError({ code, message, url: url.href, nonce: purchase.nonce, ...facts })
}
