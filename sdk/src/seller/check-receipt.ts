import { type Paise, paiseFromRupees } from '../protocol/amount.ts'
import type { PaymentProof } from '../protocol/messages.ts'
import { payeeName } from '../protocol/payee.ts'
import type { Deadline } from './deadline.ts'
import { type Refused, refused } from './decide.ts'
import type { FindKey } from './service-keys.ts'

/** What the receipt in a proof tells, without asking the service about the payment. */
export type ReceiptFinding =
  /** The service has signed that this payment was made, to this payee, by this payer, for this nonce. */
  | { readonly kind: 'genuine'; readonly amountPaise: Paise }
  | Refused
  /** There is none, or it cannot be verified here. */
  | { readonly kind: 'none' }
  /** It names a key that is not published, or not yet. */
  | { readonly kind: 'later'; readonly retryAfterMs: number }

const NONE = { kind: 'none' } as const
const NOT_GENUINE = refused('receipt_not_genuine')

/** Checks a proof's receipt offline: signature, issuer, payment, payee, payer and nonce. Refunds only the service knows. */
export async function checkReceipt(
  findKey: FindKey,
  { receipt, ...proof }: PaymentProof,
  payTo: string,
  deadline: Deadline,
): Promise<ReceiptFinding> {
  if (receipt === undefined) return NONE
  const [head = '', body = '', signature = ''] = receipt.split('.')
  const { alg, typ, kid } = objectIn(head)
  if (alg !== 'EdDSA' || typ !== 'receipt+jwt' || typeof kid !== 'string') return NOT_GENUINE
  const found = await findKey(kid, deadline)
  if (found === null) return NONE
  if ('unknownForMs' in found) return { kind: 'later', retryAfterMs: found.unknownForMs }
  // A thief of the key can sign whatever he likes, and the honest ones were signed with it too: so the service is asked.
  if (found.isRevoked) return NONE

  const key = await found.key.catch(() => null)
  if (key === null) return NONE
  const signed = new TextEncoder().encode(`${head}.${body}`)
  const bytes = bytesIn(signature)
  if (bytes === null || !(await crypto.subtle.verify('Ed25519', key, bytes, signed))) return NOT_GENUINE

  const claims = objectIn(body)
  const paidAt = Date.parse(String(claims['created_at']))
  if (claims['iss'] !== found.issuer) return NOT_GENUINE
  // A retired key may be stolen, and what a revoked one had signed is signed again by the next: so the service is asked.
  if (!(paidAt >= found.from && paidAt <= found.until)) return NONE
  return decideClaims(claims, proof, payTo)
}

function decideClaims(
  claims: Readonly<Record<string, unknown>>,
  { transactionId, fromAgent, nonce }: PaymentProof,
  payTo: string,
): ReceiptFinding {
  if (claims['payment_id'] !== transactionId || claims['currency'] !== 'INR') return NOT_GENUINE
  if (![claims['to'], claims['to_handle']].includes(payeeName(payTo))) return refused('not_payee')
  if (claims['from'] !== fromAgent) return refused('payer_mismatch')
  if (claims['reference'] !== nonce) return refused('nonce_mismatch')
  const amount = claims['amount']
  if (typeof amount !== 'number') return NOT_GENUINE
  return { kind: 'genuine', amountPaise: paiseFromRupees(amount) }
}

/** The JSON object in a part of a token; an empty one when there is none. */
function objectIn(part: string): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(bytesIn(part) ?? new Uint8Array()))
    return typeof value === 'object' && value !== null ? { ...value } : {}
  } catch {
    return {}
  }
}

function bytesIn(part: string): Uint8Array<ArrayBuffer> | null {
  try {
    const binary = atob(part.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, character => character.charCodeAt(0))
  } catch {
    return null
  }
}
