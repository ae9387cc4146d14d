import { arrayLiteral, textArrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { timeText } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { Paise } from '../kernel/money.ts'
import type { Vault } from '../kernel/secrets.ts'
import { SYSTEM } from './accounts.ts'

/** How each kind of transfer affects totals, limits and fees. */
interface KindRules {
  /** The debit adds to the payer's total_spent, fee included. */
  readonly spends: boolean
  /** The amount counts against the payer's limits. */
  readonly limited: boolean
  /** It returns the amount of an earlier transfer, which then no longer counts against the limits. */
  readonly undoes: boolean
  /** The credit adds to the payee's total_funded. */
  readonly funds: boolean
  /** The debited wallet may go below zero. */
  readonly overdraws: boolean
  /** The account that the fee is credited to. */
  readonly feeAccount: Uuid
}

const rules = (marks: Partial<KindRules>): KindRules => ({
  spends: false,
  limited: false,
  undoes: false,
  funds: false,
  overdraws: false,
  feeAccount: SYSTEM.fees,
  ...marks,
})

export const TRANSFER_KINDS = {
  payment: rules({ spends: true, limited: true, funds: true }),
  refund: rules({ spends: true, funds: true }),
  /** From an organization's treasury to a member. The owner stays the same, so it does not count as spent. */
  allocation: rules({ limited: true, funds: true }),
  fund: rules({ funds: true, feeAccount: SYSTEM.gatewayFees }),
  chargeback: rules({ overdraws: true }),
  escrow_hold: rules({ limited: true }),
  /** Also adds to the payer's total_spent, although the payer is on neither side: see `Posting.spentBy`. */
  escrow_release: rules({ funds: true }),
  escrow_refund: rules({ undoes: true }),
  /** Sets an amount aside for one payee, with the fee on it. */
  authorization: rules({ limited: true, feeAccount: SYSTEM.authorizations }),
  /** A payment out of an authorization. Also adds to the payer's total_spent. */
  capture: rules({ funds: true }),
  /** The end of an authorization: what was not captured goes back, less the fee on what was. */
  authorization_return: rules({ undoes: true }),
  /** The end of an authorization that was captured whole: only the fee is left. */
  authorization_fee: rules({}),
  /** On its way to the owner's bank. */
  payout: rules({}),
  /** Arrived there. */
  payout_paid: rules({}),
  /** Did not arrive: credited to the wallet again. */
  payout_failed: rules({}),
  /** Returned by the bank after it had arrived. */
  payout_reversed: rules({}),
} as const satisfies Record<string, KindRules>

export type TransferKind = keyof typeof TRANSFER_KINDS

const quoted = (kinds: readonly TransferKind[]) => kinds.map(kind => `'${kind}'`).join(', ')
const KINDS = Object.keys(TRANSFER_KINDS) as TransferKind[]
const LIMITED = quoted(KINDS.filter(kind => TRANSFER_KINDS[kind].limited))
const UNDOING = quoted(KINDS.filter(kind => TRANSFER_KINDS[kind].undoes))

/**
 * The SQL condition that a transfer still counts against its payer's limits: payments, allocations, and holds and
 * authorizations that did not go back whole. A scalar subquery, because for an `exists` the planner might scan all
 * transfers.
 */
export function countsAgainstLimits(alias: string): string {
  return `${alias}.kind in (${LIMITED}) and (${alias}.kind = 'payment' or (
    select undone.id from transfers undone
    where undone.linked_id = ${alias}.id and undone.kind in (${UNDOING})
      and undone.amount_paise + undone.fee_paise = ${alias}.amount_paise + ${alias}.fee_paise limit 1) is null)`
}

/** The amount of such a transfer that counts, in SQL: of an authorization what has not gone back. */
export function countedPaise(alias: string): string {
  return `case when ${alias}.kind = 'authorization' then ${alias}.amount_paise - ${returnedOf(alias)}
    else ${alias}.amount_paise end`
}

/**
 * What went back of an authorization, in SQL, without the fee: its end moves all that is left, the fee on what was
 * captured included.
 */
export function returnedOf(alias: string): string {
  return `coalesce((
    select undone.amount_paise + undone.fee_paise - ${alias}.fee_paise from transfers undone
    where undone.linked_id = ${alias}.id and undone.kind in (${UNDOING}) limit 1), 0)`
}

/**
 * Selects the newest transfer out of an authorization, in SQL: its end, else the last capture, by the payee's sequence.
 * An index has this order, so it is found however many captures there are.
 */
export function newestOut(alias: string, authorization: string): string {
  return `${alias}.linked_id = ${authorization}.id
    and ${alias}.kind in ('capture', 'authorization_return', 'authorization_fee')
    order by (${alias}.kind = 'capture'), ${alias}.credit_sequence desc nulls last limit 1`
}

/**
 * The counterparty of a transfer, in SQL: the credited account; for money set aside its payee, null where it names
 * none.
 */
export function counterpartyOf(alias: string): string {
  return `case when ${alias}.kind in ('escrow_hold', 'authorization') then ${alias}.linked_id
    else ${alias}.credit_account end`
}

/** The same of a transfer in memory. */
export function payeeOfTransfer({
  kind,
  linkedId,
  creditAccount,
}: Pick<Transfer, 'kind' | 'linkedId' | 'creditAccount'>): Uuid | null {
  return kind === 'escrow_hold' || kind === 'authorization' ? linkedId : creditAccount
}

/** The refunded sum of a payment in paise, in SQL; `id` is the SQL expression of the payment's id. */
export function refundedOf(id: string): string {
  return `(select coalesce(sum(refund.amount_paise), 0)::int8 from transfers refund
    where refund.linked_id = ${id} and refund.kind = 'refund')`
}

/** One movement of money. Balances and sequences are those after it; null on the side of a system account. */
export interface Transfer {
  readonly id: Uuid
  readonly kind: TransferKind
  readonly debitAccount: Uuid
  readonly creditAccount: Uuid
  /** The credit. The debit is this plus the fee. */
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly debitBalancePaise: Paise | null
  readonly creditBalancePaise: Paise | null
  readonly debitSequence: bigint | null
  readonly creditSequence: bigint | null
  readonly postedAt: Date
  /**
   * The transfer that this one belongs to: the payment of a refund, the funding of a chargeback, the hold of a release,
   * the authorization of a capture, the payout that failed. For a hold and an authorization it is the payee, for an
   * allocation the organization.
   */
  readonly linkedId: Uuid | null
  readonly idempotencyKey: string | null
  readonly reference: string | null
  readonly note: string | null
}

/**
 * The text that a transfer's MAC covers: every stored field, so that the service, which has the master key, detects
 * every edit of a row. Its form must never change.
 */
export function transferMacText(transfer: Transfer): string {
  return JSON.stringify([
    transfer.id,
    transfer.kind,
    transfer.debitAccount,
    transfer.creditAccount,
    String(transfer.amountPaise),
    String(transfer.feePaise),
    String(transfer.debitBalancePaise),
    String(transfer.creditBalancePaise),
    String(transfer.debitSequence),
    String(transfer.creditSequence),
    transfer.postedAt.getTime(),
    transfer.linkedId,
    transfer.idempotencyKey,
    transfer.reference,
    transfer.note,
  ])
}

const INSERT_BATCH = `
  insert into transfers (debit_account, id, credit_account, kind, amount_paise, fee_paise, debit_balance_paise,
    credit_balance_paise, debit_sequence, credit_sequence, posted_at, seal, linked_id, idempotency_key, reference,
    note)
  select debit_account, id, credit_account, kind, amount, fee, debit_balance, credit_balance, debit_sequence,
    credit_sequence, posted_at, decode(mac, 'hex'), linked_id, idempotency_key, reference, note
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::text[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
    $9::int8[], $10::int8[], $11::timestamptz[], $12::text[], $13::uuid[], $14::text[], $15::text[], $16::text[])
    v(debit_account, id, credit_account, kind, amount, fee, debit_balance, credit_balance, debit_sequence,
      credit_sequence, posted_at, mac, linked_id, idempotency_key, reference, note)`

export async function insertBatch(
  tx: Queryable,
  vault: Vault,
  transfers: readonly Transfer[],
): Promise<void> {
  await tx.query(INSERT_BATCH, [
    arrayLiteral(transfers.map(transfer => transfer.debitAccount)),
    arrayLiteral(transfers.map(transfer => transfer.id)),
    arrayLiteral(transfers.map(transfer => transfer.creditAccount)),
    arrayLiteral(transfers.map(transfer => transfer.kind)),
    arrayLiteral(transfers.map(transfer => transfer.amountPaise)),
    arrayLiteral(transfers.map(transfer => transfer.feePaise)),
    arrayLiteral(transfers.map(transfer => transfer.debitBalancePaise)),
    arrayLiteral(transfers.map(transfer => transfer.creditBalancePaise)),
    arrayLiteral(transfers.map(transfer => transfer.debitSequence)),
    arrayLiteral(transfers.map(transfer => transfer.creditSequence)),
    textArrayLiteral(transfers.map(transfer => timeText(transfer.postedAt))),
    arrayLiteral(transfers.map(transfer => vault.macHex(transferMacText(transfer)))),
    arrayLiteral(transfers.map(transfer => transfer.linkedId)),
    textArrayLiteral(transfers.map(transfer => transfer.idempotencyKey)),
    textArrayLiteral(transfers.map(transfer => transfer.reference)),
    textArrayLiteral(transfers.map(transfer => transfer.note)),
  ])
}

/** Those of these ids that are transfers in the ledger. */
export async function postedIds(tx: Queryable, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  const rows = await tx.query<{ id: Uuid }>(`select id from transfers where id = any($1::uuid[])`, [
    arrayLiteral(ids),
  ])
  return new Set(rows.map(row => row.id))
}
