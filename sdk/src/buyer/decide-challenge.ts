import { type Paise, paiseFromRupees, rupeesText } from '../protocol/amount.ts'
import type { PaymentChallenge } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import type { PurchaseErrorCode } from './purchase-error.ts'
import type { Terms } from './terms.ts'

/** The facts that the rules of buying depend on. */
export interface ChallengeFacts {
  /** null: the header exists and cannot be parsed. */
  readonly challenge: PaymentChallenge | null
  readonly askedUrl: URL
  /** The address of the response, after redirects. */
  readonly finalUrl: URL
  readonly isBodyRepeatable: boolean
  readonly terms: Pick<Terms, 'maxPaise' | 'payees' | 'allowHttp'>
}

export interface ChallengeRefusal {
  readonly kind: 'refusal'
  readonly code: PurchaseErrorCode
  readonly message: string
}

/** The order passes every rule except the budgets, which the journal knows. */
export interface Order {
  readonly kind: 'order'
  readonly payTo: string
  readonly amountPaise: Paise
  readonly nonce: string
  /** Whether the seller takes vouchers. */
  readonly takesVouchers: boolean
}

/** Whether a challenge may be paid: refusals first, then the order. */
export function decideChallenge(facts: ChallengeFacts): ChallengeRefusal | Order {
  const { challenge, askedUrl, finalUrl, terms } = facts
  if (challenge === null) return refuse('invalid_challenge', 'The seller’s X-SERVICE-PAY cannot be read')

  if (finalUrl.origin !== askedUrl.origin) {
    return refuse('redirect_refused', `Asked ${askedUrl.origin}, but ${finalUrl.origin} asks for money`)
  }
  if (finalUrl.protocol !== 'https:' && !terms.allowHttp) {
    return refuse('insecure_seller', 'The seller has no https; allowHttp pays it all the same')
  }

  const { payTo, amount, asset, nonce } = challenge
  if (asset !== 'INR') return refuse('invalid_challenge', `The seller asks for ${String(asset)}, not for INR`)
  if (terms.payees !== null && !terms.payees.has(payeeName(payTo))) {
    return refuse('payee_not_allowed', `${payTo} is not among the payees`)
  }
  const amountPaise = paiseFromRupees(amount)
  if (amountPaise > terms.maxPaise) {
    const [price, max] = [rupeesText(amountPaise), rupeesText(terms.maxPaise)]
    return refuse('price_too_high', `The price is ${price} INR, but maxAmount is ${max} INR`)
  }

  if (!facts.isBodyRepeatable) {
    return refuse('body_not_repeatable', 'The body is a stream, which cannot be sent again with the proof')
  }
  return { kind: 'order', payTo, amountPaise, nonce, takesVouchers: challenge.vouchers === true }
}

function refuse(code: PurchaseErrorCode, message: string): ChallengeRefusal {
  return { kind: 'refusal', code, message }
}
