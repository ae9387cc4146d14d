import { paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import { decodeChallenge } from '../protocol/headers.ts'
import { CHALLENGE_HEADER } from '../protocol/messages.ts'
import type { Buyer } from './buyer.ts'
import { notePayment } from './call-payments.ts'
import type { CallerRequest } from './caller-request.ts'
import { discard } from './discard.ts'
import { type PaidSale, presentProof } from './present-proof.ts'
import type { PurchaseError } from './purchase-error.ts'
import { awaitApproval, failed, type Sale, type Settlement } from './settle-payment.ts'

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
  await journal.update(id, { state: 'paid', paymentId })
  const paid = { ...sale, paymentId, approvalId }
  return takeAnswer(buyer, paid, await presentProof(buyer, request, paid))
}

/** The seller's 402 is the answer for now. */
function leaveWaiting(sale: Sale, approvalId: string, answer: Response): Response {
  if (answer.status === 402) {
    notePayment(answer, { status: 'pending_approval', paymentId: null, approvalId, ...soldFor(sale) })
  }
  return answer
}

/** What the seller said to the proof, unless it asks for money again: that is never paid. */
async function takeAnswer({ journal }: Buyer, sale: PaidSale, answer: Response): Promise<Response> {
  const { paymentId, approvalId, purchase } = sale
  if (answer.status === 402) {
    await journal.update(purchase.id, { state: 'refused', paymentId })
    throw notAccepted(sale, answer)
  }
  // A seller that failed has not served: the same call made again comes with the same proof.
  const isServed = answer.status < 500 && answer.status !== 429
  if (isServed) await journal.update(purchase.id, { state: 'served', paymentId })
  notePayment(answer, { status: 'completed', paymentId, approvalId, ...soldFor(sale) })
  return answer
}

function notAccepted(sale: PaidSale, response: Response): PurchaseError {
  const { paymentId, purchase } = sale
  const asked = decodeChallenge(response.headers.get(CHALLENGE_HEADER) ?? '')
  if (asked === null || paiseFromRupees(asked.amount) === purchase.amountPaise) {
    const message = `The seller does not take the payment ${paymentId}`
    return failed(sale, 'payment_not_accepted', message, { paymentId, response })
  }
  const message = `${rupeesText(purchase.amountPaise)} INR were paid, but now the seller asks for ${asked.amount} INR`
  return failed(sale, 'price_changed', message, { paymentId, response })
}

function soldFor({ purchase }: Sale) {
  const { payTo, amountPaise, nonce } = purchase
  return { payTo, amount: rupeesText(amountPaise), nonce }
}
