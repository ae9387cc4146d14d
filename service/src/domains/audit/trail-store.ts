import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { StoredTransfer } from '../../ledger/index.ts'
import { type EntryContent, paymentContent } from '../../operations/audit-entry.ts'
import type { PaymentCounts } from './payment-counts.ts'
import { type EntryRow, entryOf } from './read-entry.ts'
import {
  behind,
  hasEntries,
  hasPayments,
  newerThan,
  newestOf,
  PAYMENT_ACTION,
  type TrailScope,
} from './trail-scope.ts'
import * as sql from './trail-sql.ts'

/** An entry of a trail as it is returned, with its id for the order of the list. */
export interface TrailRow {
  readonly id: Uuid
  readonly content: EntryContent
}

/** A page of the trail, newest first. */
export async function selectTrail(
  db: Queryable,
  scope: TrailScope,
  { before, offset, fetch }: PageRequest,
): Promise<TrailRow[]> {
  const rest = await afterSkipping(db, before === null ? scope : behind(scope, before), offset)
  if (rest === null) return []
  const entries = hasEntries(rest) ? await selectEntries(db, rest, fetch) : []
  if (!hasPayments(rest)) return entries
  // Holds, withdrawals and refunds have entries of their own, so no long range of them is read to find payments, except
  // for money returned or released to an agent, whose entry is in the other side's trail.
  const payments = await selectPayments(db, newerThan(rest, entries[fetch - 1]?.id), fetch)
  return newestOf(entries, payments, fetch)
}

async function selectEntries(db: Queryable, scope: TrailScope, fetch: number): Promise<TrailRow[]> {
  const rows = await (scope.action === null
    ? db.query<EntryRow>(sql.SELECT_ENTRIES, [...rangeOf(scope), fetch])
    : db.query<EntryRow>(sql.SELECT_ENTRIES_OF_ACTION, [...rangeOf(scope), scope.action, fetch]))
  return rows.map(row => {
    const found = entryOf(row)
    assert(found.kind === 'entry', `the audit entry ${row.id} matches what was written`)
    return { id: row.id, content: found.content }
  })
}

async function selectPayments(db: Queryable, scope: TrailScope, fetch: number): Promise<TrailRow[]> {
  const rows = await db.query<StoredTransfer>(sql.SELECT_PAYMENTS, [...rangeOf(scope), fetch])
  return rows.map(row => {
    assert(!Number.isNaN(row.postedAt.getTime()), `the payment ${row.id} matches what was posted`)
    return { id: row.id, content: paymentContent(row) }
  })
}

function rangeOf({ agentId, from, until }: TrailScope): unknown[] {
  return [agentId, from, until]
}

/** The cursor after the newest entries; null if there are no more. */
async function afterSkipping(db: Queryable, scope: TrailScope, entries: number): Promise<TrailScope | null> {
  if (entries === 0) return scope
  const id = await lastSkipped(db, scope, entries)
  return id === null ? null : behind(scope, id)
}

async function lastSkipped(db: Queryable, scope: TrailScope, entries: number): Promise<Uuid | null> {
  const { action } = scope
  const [row] = await (action === null || action === PAYMENT_ACTION
    ? db.query<{ id: Uuid }>(action === null ? sql.SELECT_LAST_SKIPPED : sql.SELECT_LAST_SKIPPED_PAYMENT, [
        ...rangeOf(scope),
        entries,
      ])
    : db.query<{ id: Uuid }>(sql.SELECT_LAST_SKIPPED_OF_ACTION, [...rangeOf(scope), action, entries]))
  return row?.id ?? null
}

export async function countTrail(
  db: Queryable,
  scope: TrailScope,
  paymentCounts: PaymentCounts,
): Promise<bigint> {
  const [entries, payments] = await Promise.all([
    hasEntries(scope) ? countEntries(db, scope) : 0n,
    hasPayments(scope) ? paymentCounts.count(db, scope) : 0n,
  ])
  return entries + payments
}

function countEntries(db: Queryable, scope: TrailScope): Promise<bigint> {
  if (scope.action === null) return countOf(db, sql.COUNT_ENTRIES, rangeOf(scope))
  return countOf(db, sql.COUNT_ENTRIES_OF_ACTION, [...rangeOf(scope), scope.action])
}

async function countOf(db: Queryable, statement: string, values: readonly unknown[]): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(statement, values)
  return row?.count ?? 0n
}
