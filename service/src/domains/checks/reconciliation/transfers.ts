import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { firstUuidAt, formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupeesText } from '../../../kernel/money.ts'
import { isSystemAccount, SYSTEM, type TransferKind } from '../../../ledger/index.ts'
import { transferIdOf } from '../../banking/index.ts'
import type { Found, Outcome, Subject } from './difference.ts'
import { fundingComparison } from './fundings.ts'
import { payoutComparison } from './payouts.ts'
import type { Reconciler } from './query-gateway.ts'
import { boundsOf, type Page, type PageBounds, positionAfter, type Run } from './run.ts'

/** The account of each phase, and which side of its transfers. */
const SIDES = {
  from_gateway: { account: SYSTEM.gateway, side: 'debit' },
  to_gateway: { account: SYSTEM.gateway, side: 'credit' },
  from_payouts: { account: SYSTEM.payouts, side: 'debit' },
  to_payouts: { account: SYSTEM.payouts, side: 'credit' },
} as const
export type TransferPhase = keyof typeof SIDES

/**
 * A page of the transfers into and out of the wallets. Each must belong to a funding or a payout. A transfer of an older
 * one, a late chargeback for example, has the whole funding or payout compared.
 */
export async function compareTransfers(
  reconciler: Reconciler,
  run: Run,
  phase: TransferPhase,
): Promise<Page> {
  const { database } = reconciler
  const { account, side } = SIDES[phase]
  const bounds = boundsOf(run, 'span')
  const transfers = await readTransferPage(database, account, side, bounds)
  const rowIds = [...new Set(transfers.map(transfer => transfer.rowId))]
  const known = await knownRows(database, rowIds)
  const stray = transfers.filter(transfer => !known.has(transfer.rowId))
  const older = rowIds.filter(id => known.has(id) && id < firstUuidAt(run.from))
  return {
    outcomes: [
      ...stray.map(strayOutcome),
      ...(await fundingComparison.of(reconciler, older)),
      ...(await payoutComparison.of(reconciler, older)),
    ],
    counted: [],
    next: positionAfter(transfers),
  }
}

/** Rechecks the transfers of a row that was missing: those that still have none. */
export async function recheckTransfers({ database }: Reconciler, rowId: Uuid | null): Promise<Outcome[]> {
  if (rowId === null) return []
  const known = await knownRows(database, [rowId])
  if (known.size > 0) return []
  return (await readTransfersOf(database, rowId)).map(strayOutcome)
}

function strayOutcome(transfer: OutsideTransfer): Outcome {
  const { debitAccount, creditAccount, postedAt } = transfer
  const agentId = [creditAccount, debitAccount].find(account => !isSystemAccount(account)) ?? null
  const subject: Subject = {
    about: 'transfer',
    gateway: '',
    subject: subjectIdOf(transfer),
    agentId,
    happenedAt: postedAt,
  }
  return { subject, found: [strayFound(transfer)] }
}

function isFundingKind({ kind }: OutsideTransfer): boolean {
  return kind === 'fund' || kind === 'chargeback'
}

function subjectIdOf(transfer: OutsideTransfer): string {
  return isFundingKind(transfer) ? formatId('fund', transfer.rowId) : transferIdOf({ id: transfer.rowId })
}

function strayFound(transfer: OutsideTransfer): Found {
  const { kind, id, amountPaise, feePaise } = transfer
  const difference = {
    item: `${kind} ${id}`,
    ours: `in the ledger ${kind} ${rupeesText(amountPaise + feePaise)}`,
    amountPaise,
  }
  if (kind === 'fund') return { ...difference, kind: 'credited_not_paid', theirs: 'no such funding' }
  if (kind === 'chargeback')
    return { ...difference, kind: 'chargeback_unknown_there', theirs: 'no such funding' }
  return { ...difference, kind: 'payout_status_differs', theirs: 'no such payout' }
}

/** A transfer between the wallets and the outside, and the row that it must belong to. */
interface OutsideTransfer {
  readonly id: Uuid
  readonly kind: TransferKind
  readonly rowId: Uuid
  readonly debitAccount: Uuid
  readonly creditAccount: Uuid
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly postedAt: Date
}

const SELECT = `
  select id, kind, coalesce(linked_id, id) as "rowId", debit_account as "debitAccount",
    credit_account as "creditAccount", amount_paise as "amountPaise", fee_paise as "feePaise",
    posted_at as "postedAt" from transfers`

const DEBITED = `${SELECT} where debit_account = $1 and id > $2 and id < $3 order by id limit $4`
const CREDITED = `${SELECT} where credit_account = $1 and id > $2 and id < $3 order by id limit $4`

/** A page of the transfers that debit, or credit, a system account. */
function readTransferPage(
  db: Queryable,
  account: Uuid,
  side: 'debit' | 'credit',
  { after, before, limit }: PageBounds,
): Promise<OutsideTransfer[]> {
  return db.query<OutsideTransfer>(side === 'debit' ? DEBITED : CREDITED, [account, after, before, limit])
}

/** The transfers of one row. */
function readTransfersOf(db: Queryable, rowId: Uuid): Promise<OutsideTransfer[]> {
  return db.query<OutsideTransfer>(`${SELECT} where (id = $1 or linked_id = $1) order by id`, [rowId])
}

/** Which of these are fundings or payouts. */
async function knownRows(db: Queryable, ids: readonly Uuid[]): Promise<Set<Uuid>> {
  if (ids.length === 0) return new Set()
  const rows = await db.query<{ id: Uuid }>(
    `select id from fundings where id = any($1::uuid[]) union all select id from payouts where id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  return new Set(rows.map(row => row.id))
}
