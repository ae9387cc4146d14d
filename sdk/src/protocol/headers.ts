import { paiseFromRupees, rupeesText } from './amount.ts'
import { base64FromText, textFromBase64 } from './base64.ts'
import { readDemand } from './buyer-demand.ts'
import type {
  AuthorizationProof,
  BuyerDemand,
  PaymentChallenge,
  PaymentProof,
  VoucherProof,
} from './messages.ts'
import { isAgentId } from './payee.ts'

/** The greatest length of a header in characters; a longer one is refused unread. */
export const MAX_HEADER_CHARACTERS = 8_192

const PAYEE = /^[^\p{Cc}\p{Cs}]{1,64}$/u
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i
const TOKEN = /^[\w-]+\.[\w-]+\.[\w-]+$/
const MAX_RECEIPT_CHARACTERS = 5_500
const PAYMENT_ID = /^pay_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * The value of `X-SERVICE-PAY`: base64 of the challenge as JSON, with the fields in the order of the interface and the
 * amount with two decimals. Throws a RangeError for an invalid amount.
 */
export function encodeChallenge(challenge: PaymentChallenge): string {
  const { payTo, amount, asset, nonce, vouchers, buyers } = challenge
  const written = rupeesText(paiseFromRupees(amount))
  return base64FromText(JSON.stringify({ payTo, amount: written, asset, nonce, vouchers, buyers }))
}

/**
 * The challenge in a value of `X-SERVICE-PAY`; null if it is malformed, or its amount is 0 or above the maximum.
 * Unknown fields are ignored, but not an unknown demand on buyers.
 */
export function decodeChallenge(text: string): PaymentChallenge | null {
  const { payTo, amount, asset, nonce, vouchers, buyers } = fieldsOf(text)
  if (!isPayee(payTo) || !matches(nonce, UUID) || asset !== 'INR') return null
  if (typeof amount !== 'string' || !isPayable(amount)) return null
  const demand = buyers === undefined ? undefined : readDemand(buyers)
  if (demand === null) return null
  return {
    ...({ payTo, amount, asset, nonce } as const),
    ...(vouchers === true ? { vouchers } : {}),
    ...(demand === undefined ? {} : { buyers: demand }),
  }
}

/** The value of `X-SERVICE-PAY` of a 403: whom the seller sells to, without a price. */
export function encodeDemand({ payTo, buyers }: Pick<PaymentChallenge, 'payTo' | 'buyers'>): string {
  return base64FromText(JSON.stringify({ payTo, asset: 'INR', buyers }))
}

/** Whom a seller sells to, by a value of `X-SERVICE-PAY`; null: it does not read who buys, or that is malformed. */
export function decodeDemand(text: string): BuyerDemand | null {
  return readDemand(fieldsOf(text)['buyers'])
}

/** The value of `X-SERVICE-PAYMENT`: base64 of the proof as JSON, its fields in the order of the interface. */
export function encodeProof({ version, transactionId, fromAgent, nonce, receipt }: PaymentProof): string {
  return base64FromText(JSON.stringify({ version, transactionId, fromAgent, nonce, receipt }))
}

/** The proof in a value of `X-SERVICE-PAYMENT`; null if it is malformed. Unknown fields are ignored. */
export function decodeProof(text: string): PaymentProof | null {
  const { version, transactionId, fromAgent, nonce, receipt } = fieldsOf(text)
  if (version !== 1 || !matches(nonce, UUID)) return null
  if (!matches(transactionId, PAYMENT_ID) || !isAgentId(fromAgent)) return null
  const proof = { version, transactionId, fromAgent, nonce } as const
  if (receipt === undefined) return proof
  return isReceiptToken(receipt) ? { ...proof, receipt } : null
}

/** The proof that money is set aside, as base64 of its JSON. */
export function encodeAuthorizationProof(proof: AuthorizationProof): string {
  const { version, authorization, fromAgent, nonce } = proof
  return base64FromText(JSON.stringify({ version, authorization, fromAgent, nonce }))
}

/** The proof that money is set aside; null if there is none. Unknown fields are ignored. */
export function decodeAuthorizationProof(text: string): AuthorizationProof | null {
  const { version, authorization, voucher, fromAgent, nonce } = fieldsOf(text)
  // With a voucher it is another proof.
  if (version !== 1 || voucher !== undefined || !matches(nonce, UUID) || !isAgentId(fromAgent)) return null
  return isReceiptToken(authorization) ? { version, authorization, fromAgent, nonce } : null
}

/** The value of `X-SERVICE-PAYMENT` for a voucher: base64 of the proof as JSON. */
export function encodeVoucherProof({
  version,
  authorization,
  voucher,
  fromAgent,
  nonce,
}: VoucherProof): string {
  return base64FromText(JSON.stringify({ version, authorization, voucher, fromAgent, nonce }))
}

/** The proof by a voucher in a value of `X-SERVICE-PAYMENT`; null if there is none. Unknown fields are ignored. */
export function decodeVoucherProof(text: string): VoucherProof | null {
  const { version, authorization, voucher, fromAgent, nonce } = fieldsOf(text)
  if (version !== 1 || !matches(nonce, UUID) || !isAgentId(fromAgent)) return null
  if (!matches(authorization, TOKEN) || !matches(voucher, TOKEN)) return null
  return { version, authorization, voucher, fromAgent, nonce }
}

/** Whether it has the form of a token, and the proof with it fits the greatest length of a header. */
export function isReceiptToken(value: unknown): value is string {
  return matches(value, TOKEN) && value.length <= MAX_RECEIPT_CHARACTERS
}

/** The fields of the JSON object in a header; empty if there is none. */
function fieldsOf(text: string): Readonly<Record<string, unknown>> {
  const json = text.length <= MAX_HEADER_CHARACTERS ? textFromBase64(text) : null
  if (json === null) return {}
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

/** Whether it can be a payee: a handle or an id. */
export function isPayee(value: unknown): value is string {
  return matches(value, PAYEE)
}

function matches(value: unknown, form: RegExp): value is string {
  return typeof value === 'string' && form.test(value)
}

function isPayable(amount: string): boolean {
  try {
    return paiseFromRupees(amount) > 0n
  } catch {
    return false
  }
}
