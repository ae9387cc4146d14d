import { firstUuidAt, formatId, type Uuid } from '../../../kernel/ids.ts'
import { rupeesText } from '../../../kernel/money.ts'
import { isSystemAccount, SYSTEM } from '../../../ledger/index.ts'
import { transferIdOf } from '../../banking/index.ts'
import type { Comparing } from './ask.ts'
import { knownRows, type OutsideTransfer, readTransferPage, readTransfersOf } from './book-store.ts'
import type { Found, Outcome, Subject } from './difference.ts'
import { fundingWalk } from './look-at-fundings.ts'
import { payoutWalk } from './look-at-payouts.ts'
import { PAGE_SIZE, type Page, positionBehind } from './page.ts'
import { boundsOf } from './page-bounds.ts'
import type { Run } from './run.ts'

/** Which side of which account a phase goes along. */
export const BOOK_SIDES = {
  from_gateway: { account: SYSTEM.gateway, side: 'debit' },
  to_gateway: { account: SYSTEM.gateway, side: 'credit' },
  from_payouts: { account: SYSTEM.payouts, side: 'debit' },
  to_payouts: { account: SYSTEM.payouts, side: 'credit' },
} as const
export type BookPhase = keyof typeof BOOK_SIDES

/**
 * A page of the transfers that lead out of the wallets or into them. Each must belong to a funding or a payout; those
 * of older ones, a late chargeback for example, have the whole funding or payout looked at.
 */
export async function lookAtBook(context: Comparing, run: Run, phase: BookPhase): Promise<Page> {
  const { database } = context
  const { account, side } = BOOK_SIDES[phase]
  const bounds = boundsOf(run, 'span', run.position, PAGE_SIZE)
  const transfers = await readTransferPage(database, account, side, bounds)
  const rowIds = [...new Set(transfers.map(transfer => transfer.rowId))]
  const known = await knownRows(database, rowIds)
  const stray = transfers.filter(transfer => !known.has(transfer.rowId))
  const older = rowIds.filter(id => known.has(id) && id < firstUuidAt(run.from))
  return {
    outcomes: [
      ...stray.map(strayOutcome),
      ...(await fundingWalk.of(context, older)),
      ...(await payoutWalk.of(context, older)),
    ],
    counted: [],
    next: positionBehind(transfers),
  }
}

/** Transfers whose row was missing, looked at again: those that still have none. */
export async function lookAtTransfersOf(context: Comparing, rowId: Uuid | null): Promise<Outcome[]> {
  if (rowId === null) return []
  const known = await knownRows(context.database, [rowId])
  if (known.size > 0) return []
  return (await readTransfersOf(context.database, rowId)).map(strayOutcome)
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
  const told = {
    item: `${kind} ${id}`,
    ours: `in the book ${kind} ${rupeesText(amountPaise + feePaise)}`,
    amountPaise,
  }
  if (kind === 'fund') return { ...told, kind: 'credited_not_paid', theirs: 'no such funding' }
  if (kind === 'chargeback') return { ...told, kind: 'chargeback_unknown_there', theirs: 'no such funding' }
  return { ...told, kind: 'payout_status_differs', theirs: 'no such payout' }
}
