import type { Receipt } from '@batua/contract'
import { SignJWT } from 'jose'
import { formatId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import { signObject } from '../../kernel/signing.ts'
import type { Transfer } from '../../ledger/index.ts'
import type { SigningKey } from '../keys/index.ts'
import type { Party } from './store.ts'

/** A payment with both its sides: all that a receipt says. */
export interface ReceiptFacts {
  readonly payment: Transfer
  readonly payer: Party
  readonly payee: Party
}

/** What is signed: the receipt without `signature` and `token`. */
export type ReceiptContent = Omit<Receipt, 'signature' | 'token'>

export function receiptContent(facts: ReceiptFacts, issuer: string, keyId: string): ReceiptContent {
  const { payment, payer, payee } = facts
  return {
    receipt_id: formatId('rcp', payment.id),
    payment_id: formatId('pay', payment.id),
    from: formatId('agt', payer.id),
    from_handle: payer.handle,
    to: formatId('agt', payee.id),
    to_handle: payee.handle,
    amount: rupees(payment.amountPaise),
    fee: rupees(payment.feePaise),
    currency: 'INR',
    reference: payment.reference,
    note: payment.note,
    created_at: payment.postedAt.toISOString(),
    issuer,
    key_id: keyId,
  }
}

/** The signed receipt. Ed25519 draws nothing at random, so the same payment and key make the same bytes each time. */
export async function signReceipt(content: ReceiptContent, key: SigningKey): Promise<Receipt> {
  const signature = signObject(content, key.privateKey)
  return { ...content, signature, token: await receiptToken(content, key) }
}

/**
 * The receipt as a JWT. Its own `typ` keeps it from passing for anything else that the same key signs (RFC 8725,
 * section 3.11), and it is issued at the payment's time, so that it too is the same each time.
 */
function receiptToken(content: ReceiptContent, key: SigningKey): Promise<string> {
  return new SignJWT({ ...content })
    .setProtectedHeader({ alg: 'EdDSA', kid: key.id, typ: 'receipt+jwt' })
    .setIssuer(content.issuer)
    .setIssuedAt(new Date(content.created_at))
    .setJti(content.receipt_id)
    .sign(key.privateKey)
}

/** What a stranger to the payment may see: what the two said to each other stays theirs, and the token holds it. */
export function withoutWords(receipt: Receipt): Receipt {
  return { ...receipt, reference: null, note: null, token: null }
}
