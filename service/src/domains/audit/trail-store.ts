import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import { assert } from '../../kernel/assert.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { type StoredTransfer, transferColumns } from '../../ledger/index.ts'
import type { EntryContent } from '../../operations/audit-entry.ts'
import { appNameOf, type NamedPayment, paymentContent } from '../../operations/payment-fact.ts'
import { ENTRY_COLUMNS, type EntryRow, entryOf } from './read-entry.ts'
import {
  behind,
  hasEntries,
  hasPayments,
  isWholeTrail,
  newerThan,
  newestOf,
  PAYMENT_ACTION,
  type TrailScope,
} from './trail-scope.ts'

/**
 * The statements of a trail. Their parameters: $1 the agent, $2 the first id, $3 the id before which it ends, then
 * the action where there is one, and how many. Each is an index range of one agent, read from its newest end.
 */
const ENTRIES = 'audit_entries e where e.agent_id = $1 and e.id >= $2 and e.id < $3'
const ENTRIES_OF_ACTION = `${ENTRIES} and e.action = $4`
const DEBITS = 'transfers t where t.debit_account = $1 and t.id >= $2 and t.id < $3'
const CREDITS = 'transfers t where t.credit_account = $1 and t.id >= $2 and t.id < $3'
/** The condition of the indexes, one for each side, that hold only these. */
const isNoPayment = (t: string) => `coalesce(${t}.kind <> 'payment', false)`

export const SELECT_ENTRIES = `select ${ENTRY_COLUMNS} from ${ENTRIES} order by e.id desc limit $4`

export const SELECT_ENTRIES_OF_ACTION = `
  select ${ENTRY_COLUMNS} from ${ENTRIES_OF_ACTION} order by e.id desc limit $5`

const PAYMENT = `${transferColumns('t')}, ${appNameOf('t')} as "appName"`

/** The agent's payments, made and received; no agent pays itself, so each payment is found once. */
export const SELECT_PAYMENTS = `
  select p.* from (
    (select ${PAYMENT} from ${DEBITS} and t.kind = 'payment' order by t.id desc limit $4)
    union all
    (select ${PAYMENT} from ${CREDITS} and t.kind = 'payment' order by t.id desc limit $4)
  ) p order by p.id desc limit $4`

/**
 * The ids of payments without reading their rows: the index of all transfers does not contain the kind, but transfers
 * of other kinds have an index of their own, in which each id is looked up.
 */
const paymentIds = (side: 'debit_account' | 'credit_account', transfers: string) => `
  select t.id from ${transfers} and (
    select o.id from transfers o where o.${side} = $1 and o.id = t.id and ${isNoPayment('o')} limit 1) is null
  order by t.id desc limit $4`

const PAYMENT_IDS = `(${paymentIds('debit_account', DEBITS)}) union all (${paymentIds('credit_account', CREDITS)})`

const ENTRY_IDS = `select e.id from ${ENTRIES} order by e.id desc limit $4`

export const SELECT_LAST_SKIPPED = `
  select id from ((${ENTRY_IDS}) union all ${PAYMENT_IDS}) s order by id desc offset $4 - 1 limit 1`

export const SELECT_LAST_SKIPPED_PAYMENT = `select id from (${PAYMENT_IDS}) s order by id desc offset $4 - 1 limit 1`

export const SELECT_LAST_SKIPPED_OF_ACTION = `
  select e.id from ${ENTRIES_OF_ACTION} order by e.id desc offset $5 - 1 limit 1`

export const COUNT_ENTRIES = `select count(*) as count from ${ENTRIES}`

export const COUNT_ENTRIES_OF_ACTION = `select count(*) as count from ${ENTRIES_OF_ACTION}`

const countAll = (transfers: string) =>
  `(select count(*) from ${transfers}) - (select count(*) from ${transfers} and ${isNoPayment('t')})`

export const COUNT_PAYMENTS = `select ${countAll(DEBITS)} + ${countAll(CREDITS)} as count`

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
    ? db.query<EntryRow>(SELECT_ENTRIES, [...rangeOf(scope), fetch])
    : db.query<EntryRow>(SELECT_ENTRIES_OF_ACTION, [...rangeOf(scope), scope.action, fetch]))
  return rows.map(row => {
    const found = entryOf(row)
    assert(found.kind === 'entry', `the audit entry ${row.id} matches what was written`)
    return { id: row.id, content: found.content }
  })
}

async function selectPayments(db: Queryable, scope: TrailScope, fetch: number): Promise<TrailRow[]> {
  const rows = await db.query<StoredTransfer & NamedPayment>(SELECT_PAYMENTS, [...rangeOf(scope), fetch])
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
    ? db.query<{ id: Uuid }>(action === null ? SELECT_LAST_SKIPPED : SELECT_LAST_SKIPPED_PAYMENT, [
        ...rangeOf(scope),
        entries,
      ])
    : db.query<{ id: Uuid }>(SELECT_LAST_SKIPPED_OF_ACTION, [...rangeOf(scope), action, entries]))
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
  if (scope.action === null) return countOf(db, COUNT_ENTRIES, rangeOf(scope))
  return countOf(db, COUNT_ENTRIES_OF_ACTION, [...rangeOf(scope), scope.action])
}

async function countOf(db: Queryable, statement: string, values: readonly unknown[]): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(statement, values)
  return row?.count ?? 0n
}

/** Counts an agent's payments, made and received. The process caches counts, and counts only later payments. */
export interface PaymentCounts {
  count(db: Queryable, scope: TrailScope): Promise<bigint>
}

/** The number of payments with ids before one; no payment will get such an id any more. */
interface Counted {
  readonly before: Uuid
  readonly count: bigint
}

const REMEMBERED_AGENTS = 10_000

export function openPaymentCounts(): PaymentCounts {
  const known = boundedMap<Uuid, Counted>(REMEMBERED_AGENTS)
  return {
    async count(db, scope) {
      if (!isWholeTrail(scope)) return countPayments(db, scope)
      const counted = known.get(scope.agentId) ?? { before: scope.from, count: 0n }
      const before = await selectSettledBefore(db, scope.agentId)
      if (before <= counted.before)
        return counted.count + (await countPayments(db, { ...scope, from: counted.before }))
      const added = await countPayments(db, { ...scope, from: counted.before, until: before })
      const now = { before, count: counted.count + added }
      known.set(scope.agentId, now)
      return now.count + (await countPayments(db, { ...scope, from: before }))
    },
  }
}

/**
 * The lower bound of the ids of future payments: any node assigns ids under the lock of the account, never before the
 * account's last posting (see `LedgerBatch`).
 */
async function selectSettledBefore(db: Queryable, agentId: Uuid): Promise<Uuid> {
  const [row] = await db.query<{ ms: bigint }>(`select last_posted_ms as ms from accounts where id = $1`, [
    agentId,
  ])
  return firstUuidAt(new Date(Number(row?.ms ?? 0n)))
}

async function countPayments(db: Queryable, { agentId, from, until }: TrailScope): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(COUNT_PAYMENTS, [agentId, from, until])
  return row?.count ?? 0n
}
