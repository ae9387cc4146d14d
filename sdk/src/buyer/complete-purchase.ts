import { paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { decodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER, isServed } from '../protocol/messages.ts'
import type { Buyer } from './buyer.ts'
import { notePayment } from './call-payments.ts'
import type { CallerRequest } from './caller-request.ts'
import { discard } from './discard.ts'
import { type PaidSale, presentProof } from './present-proof.ts'
import type { PurchaseError } from './purchase-error.ts'
import { abortable, awaitApproval, failed, type Sale, type Settlement } from './settle-payment.ts'

/**
 * Brings a purchase from its payment to the seller's answer. `unpaid`: the 402 that asked for the money, if it is there
 * still.
 */
export async function completePurchase(
  buyer: Buyer,
  request: CallerRequest,
  sale: Sale,
  settlement: Settlement,
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

/** The seller's 402 is the answer for now. */
function leaveWaiting(sale: Sale, approvalId: string, answer: Response): Response {
  if (answer.status === 402) {
    notePayment(answer, { status: 'pending_approval', paymentId: null, approvalId, ...soldFor(sale) })
  }
  return answer
}

/** Gets what was paid for. Whatever comes of it, `paymentOf` tells the payment. */
async function collect(buyer: Buyer, request: CallerRequest, sale: PaidSale): Promise<Response> {
  const { approvalId, paymentId, purchase } = sale
  const payment = { status: 'completed', paymentId, approvalId, ...soldFor(sale) } as const
  try {
    await buyer.journal.update(purchase.id, { state: 'paid', paymentId })
    const payeeId = purchase.payeeId ?? null
    if (payeeId !== null) await buyer.journal.pin(purchase.host, payeeId)
    const answer = await takeAnswer(buyer, sale, await presentProof(buyer, request, sale))
    notePayment(answer, payment)
    return answer
  } catch (error) {
    if (typeof error === 'object' && error !== null) notePayment(error, payment)
    throw error
  }
}

/** What the seller said to the proof, unless it asks for money again: that is never paid. */
async function takeAnswer(buyer: Buyer, sale: PaidSale, answer: Response): Promise<Response> {
  const { paymentId, purchase } = sale
  if (answer.status === 402) {
    const refunded = await isGivenBack(buyer, sale)
    await buyer.journal.finish(purchase.id, { state: refunded ? 'refunded' : 'refused', paymentId })
    throw notAccepted(sale, answer, refunded)
  }
  // A seller that failed has not served: the same call made again comes with the same proof.
  if (isServed(answer.status)) await buyer.journal.finish(purchase.id, { state: 'served', paymentId })
  return answer
}

/** Whether the seller has refunded a payment whole: the service is asked, because a seller may say so of any. */
async function isGivenBack(
  { agentId, client }: Buyer,
  { paymentId, purchase, signal }: PaidSale,
): Promise<boolean> {
  try {
    const agent_id = await agentId(signal)
    const payment = await client.getPayment({ agent_id, payment_id: paymentId }, abortable(signal))
    return (
      payment.payment_id === paymentId && paiseFromRupees(payment.refunded_total) === purchase.amountPaise
    )
  } catch {
    // What the seller answered stands without it.
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

function soldFor({ purchase }: Sale) {
  const { payTo, amountPaise, nonce } = purchase
  return { payTo, amount: rupeesText(amountPaise), nonce }
}
