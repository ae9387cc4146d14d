import { checkSignature, type ServiceKeys } from '../client/service-keys.ts'
import { type Paise, paiseFromRupees } from '../protocol/amount.ts'
import { bytesFromBase64 } from '../protocol/base64.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import type { Deadline } from './deadline.ts'
import { type Refused, refused } from './decide.ts'

/** The result of the receipt in a proof, without asking the service about the payment. */
export type ReceiptFinding =
  | GenuineReceipt
  | Refused
  /** There is no receipt, or it cannot be verified here. */
  | { readonly kind: 'none' }
  /** It names a key that is not published, or not yet. */
  | { readonly kind: 'later'; readonly retryAfterMs: number }

/** The service has signed that this payment was made, to this payee, by this payer, for this nonce. */
export interface GenuineReceipt {
  readonly kind: 'genuine'
  readonly amountPaise: Paise
  /** The id of the agent that was paid. */
  readonly payeeId: unknown
  /** Whether a revocation of its key would be known. */
  readonly isFresh: boolean
}

const NONE = { kind: 'none' } as const
const NOT_GENUINE = refused('receipt_not_genuine')

/**
 * Checks a proof's receipt offline: signature, issuer, payment, payee, payer and nonce. Only the service knows
 * refunds.
 */
export async function checkReceipt(
  keys: ServiceKeys,
  { receipt, ...proof }: PaymentProof,
  payTo: string,
  deadline: Deadline,
): Promise<ReceiptFinding> {
  if (receipt === undefined) return NONE
  const [head = '', body = '', signature = ''] = receipt.split('.')
  const { alg, typ, kid } = objectInPart(head)
  if (alg !== 'EdDSA' || typ !== 'receipt+jwt' || typeof kid !== 'string') return NOT_GENUINE
  const found = await keys.find(kid, deadline.signal)
  if (found === null) return NONE
  if ('unknownForMs' in found) return { kind: 'later', retryAfterMs: found.unknownForMs }

  const claims = objectInPart(body)
  const signed = { text: `${head}.${body}`, issuer: claims['iss'], date: claims['created_at'] }
  const finding = await checkSignature(found, { ...signed, signature: bytesFromBase64(signature) })
  if (finding === 'forged') return NOT_GENUINE
  // A thief of the key can sign anything, and honest receipts were signed with it too, so the service is asked.
  if (finding !== 'genuine') return NONE
  return decideClaims(claims, proof, { payTo, isFresh: found.isFresh })
}

function decideClaims(
  claims: Readonly<Record<string, unknown>>,
  { transactionId, fromAgent, nonce }: PaymentProof,
  { payTo, isFresh }: { readonly payTo: string; readonly isFresh: boolean },
): ReceiptFinding {
  if (claims['payment_id'] !== transactionId || claims['currency'] !== 'INR') return NOT_GENUINE
  if (![claims['to'], claims['to_handle']].includes(payeeName(payTo))) return refused('not_payee')
  if (claims['from'] !== fromAgent) return refused('payer_mismatch')
  if (claims['reference'] !== nonce) return refused('nonce_mismatch')
  const amount = claims['amount']
  if (typeof amount !== 'number') return NOT_GENUINE
  return { kind: 'genuine', amountPaise: paiseFromRupees(amount), payeeId: claims['to'], isFresh }
}

/** The JSON object in a part of a token; an empty one if there is none. */
export function objectInPart(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytesFromBase64(part) ?? new Uint8Array()))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}
