import type { Database } from '../../db/database.ts'
import { assert } from '../../kernel/assert.ts'
import { movementOf, parseId, type Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import {
  type FoundTransfer,
  findEndOfHold,
  findProvenPayment,
  findProvenTransfer,
  type Transfer,
} from '../../ledger/index.ts'

/** What a payee may verify: a payment, captures included, or a hold, which counts as a payment of its payer once it is released. */
export interface VerifiablePayment {
  /** The id of the payment or of the hold. A nonce is consumed for this id, whichever id the request names. */
  readonly id: Uuid
  readonly payer: Uuid
  /** The agent that received the money, or is to receive it; null while a hold has no recipient. */
  readonly payee: Uuid | null
  readonly amountPaise: Paise
  readonly reference: string | null
  /** The time of the payment or of the hold. */
  readonly at: Date
  readonly isCompleted: boolean
}

interface LedgerBatch {
  readonly database: Database
  readonly vault: Vault
}

/** The payment of an id, its own or that of either side's statement line; null when the id names anything else. */
export async function findVerifiable(batch: LedgerBatch, address: string): Promise<VerifiablePayment | null> {
  const paymentId = parseId('pay', address)
  const line = parseId('txn', address)
  const id = paymentId ?? (line === null ? null : movementOf(line).movement)
  if (id === null) return null
  const payment = unaltered(await findProvenPayment(batch.database, batch.vault, id), id)
  if (payment !== null) return ofPayment(payment)
  // An escrow has no payment id.
  if (paymentId !== null) return null
  const transfer = await proven(batch, id)
  if (transfer === null) return null
  if (transfer.kind === 'escrow_hold') return ofHold(transfer, await endOf(batch, transfer.id))
  // An authorization is no payment: its captures are.
  if (transfer.kind === 'authorization') return ofHold(transfer, null)
  if (transfer.kind !== 'escrow_release') return null
  assert(transfer.linkedId !== null, 'a release names its hold')
  const hold = await proven(batch, transfer.linkedId)
  assert(hold !== null, 'a release names its hold')
  return ofHold(hold, transfer)
}

/** A person who writes into the database must not be able to make a seller believe that it was paid. */
async function proven({ database, vault }: LedgerBatch, id: Uuid): Promise<Transfer | null> {
  return unaltered(await findProvenTransfer(database, vault, id), id)
}

async function endOf({ database, vault }: LedgerBatch, holdId: Uuid): Promise<Transfer | null> {
  return unaltered(await findEndOfHold(database, vault, holdId), holdId)
}

function unaltered(found: FoundTransfer, id: Uuid): Transfer | null {
  assert(found.kind !== 'altered', `the transfer behind ${id} is as it was posted`)
  return found.kind === 'transfer' ? found.transfer : null
}

/** A capture pays for what the authorization was for, so it carries no nonce, although the payer chose the reference. */
function ofPayment(payment: Transfer): VerifiablePayment {
  const { id, debitAccount: payer, creditAccount: payee, amountPaise, postedAt: at } = payment
  const reference = payment.kind === 'capture' ? null : payment.reference
  return { id, payer, payee, amountPaise, reference, at, isCompleted: true }
}

function ofHold(hold: Transfer, end: Transfer | null): VerifiablePayment {
  const { id, debitAccount: payer, amountPaise, reference } = hold
  if (end?.kind !== 'escrow_release') {
    return { id, payer, payee: hold.linkedId, amountPaise, reference, at: hold.postedAt, isCompleted: false }
  }
  return { id, payer, payee: end.creditAccount, amountPaise, reference, at: end.postedAt, isCompleted: true }
}
