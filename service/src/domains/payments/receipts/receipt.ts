import type { Receipt } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { type KeyedRead, rowsOfAll } from '../../../db/gathered.ts'
import { type BoundedMap, boundedMap } from '../../../kernel/bounded-map.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import { signObject, signToken } from '../../../kernel/signing.ts'
import type { Transfer } from '../../../ledger/index.ts'
import type { StoredIdentity } from '../../parties/index.ts'
import type { SigningKey } from '../../signing/index.ts'

/** A payment with both its sides: everything that a receipt contains. */
export interface ReceiptFacts {
  readonly payment: Transfer
  readonly payer: StoredIdentity
  readonly payee: StoredIdentity
}

/** The signed content: the receipt without `signature` and `token`. */
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
    // The reference of a capture is its authorization's, and a seller would take it for the nonce of a payment.
    reference: payment.kind === 'capture' ? null : payment.reference,
    note: payment.note,
    created_at: payment.postedAt.toISOString(),
    issuer,
    key_id: keyId,
  }
}

type Signatures = Pick<Receipt, 'signature' | 'token'>

/** The signatures that each key made lately, by what it signed. */
const made = new WeakMap<SigningKey, BoundedMap<string, Signatures>>()
const KEPT_SIGNATURES = 10_000

/** The signed receipt. Ed25519 uses no randomness, so the same payment and key give the same bytes each time. */
export async function signReceipt(content: ReceiptContent, key: SigningKey): Promise<Receipt> {
  let kept = made.get(key)
  if (kept === undefined) made.set(key, (kept = boundedMap(KEPT_SIGNATURES)))
  const text = JSON.stringify(content)
  let signatures = kept.get(text)
  if (signatures === undefined) {
    signatures = { signature: signObject(content, key.privateKey), token: await receiptToken(content, key) }
    kept.set(text, signatures)
  }
  return { ...content, ...signatures }
}

/** Its issue time is the payment's time, so that it too is the same each time. */
export function receiptToken(content: ReceiptContent, key: SigningKey): Promise<string> {
  const terms = {
    typ: 'receipt+jwt',
    keyId: key.id,
    issuer: content.issuer,
    issuedAt: new Date(content.created_at),
    id: content.receipt_id,
  }
  return signToken(content, terms, key.privateKey)
}

/** What a stranger to the payment may see: not the reference and the note, and not the token, which contains them. */
export function withoutWords(receipt: Receipt): Receipt {
  return { ...receipt, reference: null, note: null, token: null }
}

const PARTIES: KeyedRead<StoredIdentity> = {
  text: `select id, handle, platform_id as "platformId", owner_id as "ownerId", public_key as "publicKey",
      created_at as "createdAt", seal as mac
    from agents where id = any($1::uuid[])`,
  keyOf: ({ id }) => id,
}

export function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<readonly StoredIdentity[]> {
  return rowsOfAll(db, PARTIES, ids)
}
