import type { Queryable } from '../db/database.ts'
import { type KeyedRead, rowsOf } from '../db/gathered.ts'
import type { Uuid } from '../kernel/ids.ts'
import { sameHash, type Vault } from '../kernel/secrets.ts'
import { type Transfer, transferMacText } from './transfers.ts'

/** A stored transfer with its MAC, which was made when it was posted. */
export interface StoredTransfer extends Transfer {
  readonly mac: Buffer
}

/** The columns of a `StoredTransfer`, for SQL over transfers. */
export function transferColumns(alias: string): string {
  const column = (name: string, as: string) => `${alias}.${name} as "${as}"`
  return [
    column('id', 'id'),
    column('kind', 'kind'),
    column('debit_account', 'debitAccount'),
    column('credit_account', 'creditAccount'),
    column('amount_paise', 'amountPaise'),
    column('fee_paise', 'feePaise'),
    column('debit_balance_paise', 'debitBalancePaise'),
    column('credit_balance_paise', 'creditBalancePaise'),
    column('debit_sequence', 'debitSequence'),
    column('credit_sequence', 'creditSequence'),
    `${wholeMilliseconds(`${alias}.posted_at`)} as "postedAt"`,
    column('linked_id', 'linkedId'),
    column('idempotency_key', 'idempotencyKey'),
    column('reference', 'reference'),
    column('note', 'note'),
    column('seal', 'mac'),
  ].join(', ')
}

/** The service posts transfers to the millisecond. A finer time was altered; it becomes `infinity`, so the MAC fails. */
function wholeMilliseconds(moment: string): string {
  return `case when ${moment} = date_trunc('milliseconds', ${moment}) then ${moment} else 'infinity' end`
}

/** Whether a row's MAC matches, that is, whether the posting engine wrote it: write access to the database is not enough to make one. */
export function isGenuine(vault: Vault, transfer: StoredTransfer): boolean {
  return sameHash(vault.mac(transferMacText(transfer)), transfer.mac)
}

/** A proven transfer, or that there is none, or that it was altered after it was posted. */
export type FoundTransfer =
  | { readonly kind: 'transfer'; readonly transfer: Transfer }
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

const BY_ID: KeyedRead<StoredTransfer> = {
  text: `select ${transferColumns('t')} from transfers t where t.id = any($1::uuid[])`,
  keyOf: ({ id }) => id,
}

/** Reads a transfer by its id and proves its MAC. */
export async function findProvenTransfer(db: Queryable, vault: Vault, id: Uuid): Promise<FoundTransfer> {
  // At most one has this id, unless the table was altered.
  return proven(vault, await rowsOf(db, BY_ID, id))
}

/**
 * Reads a payment by its id and proves it: an ordinary one, or a capture, whose payer is that of its authorization. The
 * payer is the debited account of the result. `none`: the id is of another kind of transfer.
 */
export async function findProvenPayment(db: Queryable, vault: Vault, id: Uuid): Promise<FoundTransfer> {
  const found = await findProvenTransfer(db, vault, id)
  if (found.kind !== 'transfer' || found.transfer.kind === 'payment') return found
  const { kind, linkedId } = found.transfer
  if (kind !== 'capture' || linkedId === null) return { kind: 'none' }
  const authorization = await findProvenTransfer(db, vault, linkedId)
  if (authorization.kind !== 'transfer') return { kind: 'altered' }
  return {
    kind: 'transfer',
    transfer: { ...found.transfer, debitAccount: authorization.transfer.debitAccount },
  }
}

const SELECT_END = `
  select ${transferColumns('t')} from transfers t
  where t.linked_id = $1 and t.kind in ('escrow_release', 'escrow_refund')`

/** Reads the transfer that ended a hold, its release or refund, and proves its MAC; `none` while the hold is open. */
export async function findEndOfHold(db: Queryable, vault: Vault, holdId: Uuid): Promise<FoundTransfer> {
  return proven(vault, await db.query<StoredTransfer>(SELECT_END, [holdId]))
}

function proven(vault: Vault, [row, second]: readonly StoredTransfer[]): FoundTransfer {
  if (row === undefined) return { kind: 'none' }
  if (second !== undefined || !isGenuine(vault, row)) return { kind: 'altered' }
  const { mac: _, ...transfer } = row
  return { kind: 'transfer', transfer }
}
