import { paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { decodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, isServed } from '../protocol/messages.ts'
import type { Buyer } from './buyer.ts'
import { notePayment } from './call-payments.ts'
import type { CallerRequest } from './caller-request.ts'
import { discard } from './discard.ts'
import {
  abortable,
  awaitApproval,
  failed,
  isSetAside,
  type PaymentState,
  type PurchaseInProgress,
} from './ensure-payment.ts'
import { isNotSold } from './known-buyer.ts'
import { type PaidSale, presentProof } from './present-proof.ts'
import type { PurchaseError } from './purchase-error.ts'
import { readSetAside, takeBack } from './set-aside.ts'

/** Completes a purchase, from its payment to the seller's response. `unpaid`: the 402, if it is still available. */
export async function completePurchase(
  buyer: Buyer,
  request: CallerRequest,
  sale: PurchaseInProgress,
  settlement: PaymentState,
  unpaid: Response | null,
): Promise<Response> {
  const { journal } = buyer
  const { id } = sale.purchase
  const approvalId =
    settlement.kind === 'waiting' ? settlement.approvalId : (sale.purchase.approvalId ?? null)
  if (settlement.kind === 'waiting') {
    await journal.update(id, { state: 'paying', paymentId: null, approvalId })
    if (buyer.terms.approval === 'return') {
      return leaveWaiting(sale, settlement.approvalId, unpaid ?? (await request.send()))
    }
  }

  if (unpaid !== null) discard(unpaid)
  const paymentId =
    settlement.kind === 'paid'
      ? settlement.paymentId
      : await awaitApproval(buyer, sale, settlement.approvalId)
  const receipt = settlement.kind === 'paid' ? (settlement.receipt ?? null) : null
  return collect(buyer, request, { ...sale, paymentId, approvalId, receipt })
}

/** The seller's 402 is the response for now. */
function leaveWaiting(sale: PurchaseInProgress, approvalId: string, response: Response): Response {
  if (response.status === 402) {
    notePayment(response, { status: 'pending_approval', paymentId: null, approvalId, ...soldFor(sale) })
  }
  return response
}

/** Gets what was paid for. `paymentOf` returns the payment, also after a failure. */
async function collect(buyer: Buyer, request: CallerRequest, sale: PaidSale): Promise<Response> {
  const { approvalId, paymentId, purchase } = sale
  const payment = { status: 'completed', paymentId, approvalId, ...soldFor(sale) } as const
  try {
    await buyer.journal.update(purchase.id, { state: 'paid', paymentId })
    const payeeId = purchase.payeeId ?? null
    if (payeeId !== null) await buyer.journal.pin(purchase.host, payeeId)
    const response = await takeResponse(buyer, sale, await presentProof(buyer, request, sale))
    notePayment(response, payment)
    return response
  } catch (error) {
    if (typeof error === 'object' && error !== null) notePayment(error, payment)
    throw error
  }
}

/** The seller's response to the proof, unless it is another 402, which is never paid. */
async function takeResponse(buyer: Buyer, sale: PaidSale, response: Response): Promise<Response> {
  const { paymentId, purchase } = sale
  if (response.status === 402 || isNotSold(response)) {
    const refunded = await isGivenBack(buyer, sale)
    if (!refunded && isSetAside(purchase)) await takeBack(buyer, paymentId)
    await buyer.journal.finish(purchase.id, { state: refunded ? 'refunded' : 'refused', paymentId })
    throw notAccepted(sale, response, refunded)
  }
  // A seller that failed has not served: the same call sends the same proof again.
  if (isServed(response.status)) {
    // x402's servers capture nothing for a response from 400 on.
    const isFree = isSetAside(purchase) && !response.ok && (await isGivenBack(buyer, sale))
    await buyer.journal.finish(purchase.id, { state: isFree ? 'refunded' : 'served', paymentId })
    // Such sellers capture in their own time, and from now on nothing more is signed.
    if (purchase.byVoucher) await takeBack(buyer, paymentId)
  }
  return response
}

/** Whether the seller has given everything back: the service is asked, because a seller could claim it. */
export async function isGivenBack(
  buyer: Buyer,
  { paymentId, purchase, signal }: Pick<PaidSale, 'paymentId' | 'purchase' | 'signal'>,
): Promise<boolean> {
  const { agentId, client } = buyer
  try {
    if (isSetAside(purchase)) return (await readSetAside(buyer, { signal }, paymentId)).isGivenBack
    const agent_id = await agentId(signal)
    const payment = await client.getPayment({ agent_id, payment_id: paymentId }, abortable(signal))
    return (
      payment.payment_id === paymentId && paiseFromRupees(payment.refunded_total) === purchase.amountPaise
    )
  } catch {
    // The seller's response is valid without it.
    return false
  }
}

function notAccepted(sale: PaidSale, response: Response, refunded: boolean): PurchaseError {
  const { paymentId, purchase } = sale
  const asked = decodeChallenge(response.headers.get(CHALLENGE_HEADER) ?? '')
  const isSamePrice = asked === null || paiseFromRupees(asked.amount) === purchase.amountPaise
  const message = isSamePrice
    ? `The seller does not take the payment ${paymentId}`
    : `${rupeesText(purchase.amountPaise)} INR were paid, but now the seller asks for ${asked.amount} INR`
  return failed(
    sale,
    isSamePrice ? 'payment_not_accepted' : 'price_changed',
    refunded ? `${message}; it has given the money back` : message,
    { paymentId, refunded, response },
  )
}

function soldFor({ purchase }: PurchaseInProgress) {
  const { payTo, amountPaise, nonce } = purchase
  return { payTo, amount: rupeesText(amountPaise), nonce }
}
