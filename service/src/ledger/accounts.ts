import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { announceLocks } from '../db/locked-rows.ts'
import { DAY_MS, HOUR_MS, istDay, startOfIstDay } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../kernel/money.ts'
import type { ReleaseBounds } from './releases.ts'
import type { Spending } from './spending.ts'

/**
 * The accounts outside the wallets. They have no row: their balances are sums over the transfers, so no
 * payment waits for a row that all payments share.
 */
export const SYSTEM = {
  /** The money at the payment gateway. It is debited when a wallet is funded. */
  gateway: '00000000-0000-7000-8000-000000000010',
  /** Fees that the gateway kept. */
  gatewayFees: '00000000-0000-7000-8000-000000000020',
  /** Fees earned on payments. */
  fees: '00000000-0000-7000-8000-000000000030',
  /** Money held in escrow. */
  escrow: '00000000-0000-7000-8000-000000000040',
  /** Payouts on their way to a bank. */
  payouts: '00000000-0000-7000-8000-000000000050',
  /** Chargeback losses that no wallet bears. */
  chargebacks: '00000000-0000-7000-8000-000000000060',
  /** Money that payers set aside for captures, with the fee on it. */
  authorizations: '00000000-0000-7000-8000-000000000070',
} as const

const SYSTEM_IDS: ReadonlySet<Uuid> = new Set(Object.values(SYSTEM))

export function isSystemAccount(id: Uuid): boolean {
  return SYSTEM_IDS.has(id)
}

/** A wallet's account within a batch: read under its lock, changed in memory, written once. */
export interface Account {
  readonly id: Uuid
  /** The version of the agent's status, key and policy that is in force. */
  readonly agentVersion: number
  balancePaise: Paise
  totalFundedPaise: Paise
  totalSpentPaise: Paise
  /** The number of transfers on this account. It orders the account's history without gaps. */
  sequence: bigint
  lastPostedMs: number
  spending: Spending
  /** Counterparty windows include this payer's transfers up to this time and sequence (see domains/limits). */
  countedThroughMs: number
  countedThroughSequence: bigint
  /** From when on the newest version of the agent's policy decides; null: its history has not begun. */
  readonly policySinceMs: number | null
  /** null: within these windows no hold was released to a payee that the hold did not name. */
  releases: ReleaseBounds | null
  /** The sum and the number of payments that this batch's commands plan. They decide what the batch has to read. */
  plannedPaise: Paise
  plannedSpends: number
  /** A command of this batch may reach a limit of this payer, so the batch reads every window and makes it exact. */
  needsExactWindows: boolean
  changed: boolean
}

/**
 * The latest time that an account's state refers to. A decision at an earlier time would reopen a window that another
 * node, whose clock is ahead, has already moved forward, or seem decided by the policy before.
 */
export function seenMs({ lastPostedMs, policySinceMs, spending, releases }: Account): number {
  return Math.max(
    lastPostedMs,
    policySinceMs ?? 0,
    releases?.lastMs ?? 0,
    spending.hourFromMs + HOUR_MS,
    spending.dayFromMs + DAY_MS,
    startOfIstDay(spending.istDay).getTime(),
  )
}

/**
 * Opens a wallet's account with a zero balance. Runs in the transaction that creates the agent. Nothing was spent yet, so
 * a policy may decide from the moment of the opening on: `last_spent_ms` is the millisecond before it.
 */
export async function openAccount(tx: Queryable, id: Uuid, now: Date): Promise<void> {
  const nowMs = now.getTime()
  await tx.query(
    `insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
     values ($1, $2, $3, $4, $5, $6)`,
    [id, BigInt(nowMs), BigInt(nowMs - 1), BigInt(nowMs - HOUR_MS), BigInt(nowMs - DAY_MS), istDay(now)],
  )
}

/**
 * Takes the locks of accounts before their agents' status, key or policy is changed in the same transaction,
 * and raises `agent_version`. No payment is decided meanwhile, and the next one, on any node, reads the agent
 * again. What other parts have to do about the change is queued in its commit (`changed_agents`).
 */
export async function lockForChange(tx: Queryable, ids: readonly Uuid[]): Promise<void> {
  await lockAccounts(tx, ids)
  await tx.query(`update accounts set agent_version = agent_version + 1 where id = any($1::uuid[])`, [
    arrayLiteral(ids),
  ])
  await tx.query(
    `insert into changed_agents as c (id) select id from accounts where id = any($1::uuid[])
     on conflict (id) do update set changes = c.changes + 1, due_at = excluded.due_at`,
    [arrayLiteral(ids)],
  )
}

/** When each of these wallets last spent money that counts against limits, or a moment before it could. */
export async function selectLastSpent(tx: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, number>> {
  const rows = await tx.query<{ id: Uuid; ms: bigint }>(
    `select id, last_spent_ms as ms from accounts where id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  return new Map(rows.map(({ id, ms }) => [id, Number(ms)]))
}

/** The latest moment of a wallet's history, which a node whose clock is ahead may have written. */
export async function selectLatestMs(db: Queryable, id: Uuid): Promise<number> {
  const [row] = await db.query<{ ms: bigint }>(
    `select greatest(last_posted_ms, policy_since_ms) as ms from accounts where id = $1`,
    [id],
  )
  return Number(row?.ms ?? 0n)
}

/** Writes from when on the newest version of each agent's policy decides. The caller holds the locks of the accounts. */
export async function updatePolicySince(tx: Queryable, since: ReadonlyMap<Uuid, number>): Promise<void> {
  await tx.query(
    `update accounts a set policy_since_ms = v.ms from unnest($1::uuid[], $2::int8[]) v(id, ms) where a.id = v.id`,
    [arrayLiteral([...since.keys()]), arrayLiteral([...since.values()].map(BigInt))],
  )
}

/**
 * Locks accounts in the order of their ids, as every batch does. Until the transaction ends, the engine of this process
 * leaves commands on these accounts in its queue.
 */
export async function lockAccounts(tx: Queryable, ids: readonly Uuid[]): Promise<void> {
  announceLocks(tx, ids)
  await tx.query(`select id from accounts where id = any($1::uuid[]) order by id for no key update`, [
    arrayLiteral(ids),
  ])
}

/**
 * The statement that locks a batch. It is the only one that would differ on a distributed PostgreSQL: where a lock over
 * several shards is refused, use `update accounts set sequence = sequence where id = any($1) returning …` instead.
 */
const LOCK_BATCH = `
  select id, agent_version, balance_paise, total_funded_paise, total_spent_paise, sequence, last_posted_ms,
    last_spent_ms, hour_from_ms, hour_spent_paise, day_from_ms, day_spent_paise, ist_day, ist_day_spent_paise,
    ist_month_spent_paise, hour_recipients_bound, counted_through_ms, counted_through_sequence, last_release_ms,
    day_released_paise, hour_releases, policy_since_ms
  from accounts where id = any($1::uuid[]) order by id for no key update`

interface AccountRow {
  id: Uuid
  agent_version: number
  balance_paise: bigint
  total_funded_paise: bigint
  total_spent_paise: bigint
  sequence: bigint
  last_posted_ms: bigint
  last_spent_ms: bigint
  hour_from_ms: bigint
  hour_spent_paise: bigint
  day_from_ms: bigint
  day_spent_paise: bigint
  ist_day: number
  ist_day_spent_paise: bigint
  ist_month_spent_paise: bigint
  hour_recipients_bound: number
  counted_through_ms: bigint
  counted_through_sequence: bigint
  last_release_ms: bigint | null
  day_released_paise: bigint | null
  hour_releases: number | null
  policy_since_ms: bigint | null
}

export async function lockBatch(tx: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, Account>> {
  const rows = await tx.query<AccountRow>(LOCK_BATCH, [arrayLiteral(ids)])
  const accounts = new Map<Uuid, Account>()
  for (const row of rows) accounts.set(row.id, accountFromRow(row))
  return accounts
}

function accountFromRow(row: AccountRow): Account {
  return {
    id: row.id,
    agentVersion: row.agent_version,
    balancePaise: row.balance_paise as Paise,
    totalFundedPaise: row.total_funded_paise as Paise,
    totalSpentPaise: row.total_spent_paise as Paise,
    sequence: row.sequence,
    lastPostedMs: Number(row.last_posted_ms),
    spending: {
      lastSpentMs: Number(row.last_spent_ms),
      hourFromMs: Number(row.hour_from_ms),
      hourSpentPaise: row.hour_spent_paise as Paise,
      dayFromMs: Number(row.day_from_ms),
      daySpentPaise: row.day_spent_paise as Paise,
      istDay: row.ist_day,
      istDaySpentPaise: row.ist_day_spent_paise as Paise,
      istMonthSpentPaise: row.ist_month_spent_paise as Paise,
      hourRecipientsBound: row.hour_recipients_bound,
    },
    countedThroughMs: Number(row.counted_through_ms),
    countedThroughSequence: row.counted_through_sequence,
    policySinceMs: row.policy_since_ms === null ? null : Number(row.policy_since_ms),
    releases: row.last_release_ms === null ? null : releasesFromRow(row, row.last_release_ms),
    plannedPaise: ZERO_PAISE,
    plannedSpends: 0,
    needsExactWindows: false,
    changed: false,
  }
}

function releasesFromRow(row: AccountRow, lastMs: bigint): ReleaseBounds {
  return {
    lastMs: Number(lastMs),
    dayPaise: (row.day_released_paise ?? 0n) as Paise,
    hourCount: row.hour_releases ?? 0,
  }
}

/** What a batch writes of an account, in SQL, from the rows `v` of `changedColumns`. */
export const CHANGES = `balance_paise = v.balance, total_funded_paise = v.funded, total_spent_paise = v.spent,
    sequence = v.sequence, last_posted_ms = v.posted, last_spent_ms = v.last_spent,
    hour_from_ms = v.hour_from, hour_spent_paise = v.hour_spent,
    day_from_ms = v.day_from, day_spent_paise = v.day_spent, ist_day = v.ist_day,
    ist_day_spent_paise = v.ist_day_spent, ist_month_spent_paise = v.ist_month_spent,
    hour_recipients_bound = v.recipients_bound, counted_through_ms = v.counted_ms,
    counted_through_sequence = v.counted_sequence`

export const CHANGED_TYPES = `$1::uuid[], $2::int8[], $3::int8[], $4::int8[], $5::int8[], $6::int8[], $7::int8[], $8::int8[],
    $9::int8[], $10::int8[], $11::int8[], $12::int4[], $13::int8[], $14::int8[], $15::int4[], $16::int8[],
    $17::int8[]`

export const CHANGED_NAMES = `id, balance, funded, spent, sequence, posted, last_spent, hour_from, hour_spent, day_from,
      day_spent, ist_day, ist_day_spent, ist_month_spent, recipients_bound, counted_ms, counted_sequence`

const UPDATE_BATCH = `
  update accounts a set ${CHANGES}
  from unnest(${CHANGED_TYPES}) v(${CHANGED_NAMES})
  where a.id = v.id`

export async function updateBatch(tx: Queryable, accounts: readonly Account[]): Promise<void> {
  await tx.query(UPDATE_BATCH, changedColumns(accounts))
}

export function changedColumns(accounts: readonly Account[]): string[] {
  return [
    arrayLiteral(accounts.map(account => account.id)),
    arrayLiteral(accounts.map(account => account.balancePaise)),
    arrayLiteral(accounts.map(account => account.totalFundedPaise)),
    arrayLiteral(accounts.map(account => account.totalSpentPaise)),
    arrayLiteral(accounts.map(account => account.sequence)),
    arrayLiteral(accounts.map(account => account.lastPostedMs)),
    arrayLiteral(accounts.map(account => account.spending.lastSpentMs)),
    arrayLiteral(accounts.map(account => account.spending.hourFromMs)),
    arrayLiteral(accounts.map(account => account.spending.hourSpentPaise)),
    arrayLiteral(accounts.map(account => account.spending.dayFromMs)),
    arrayLiteral(accounts.map(account => account.spending.daySpentPaise)),
    arrayLiteral(accounts.map(account => account.spending.istDay)),
    arrayLiteral(accounts.map(account => account.spending.istDaySpentPaise)),
    arrayLiteral(accounts.map(account => account.spending.istMonthSpentPaise)),
    arrayLiteral(accounts.map(account => account.spending.hourRecipientsBound)),
    arrayLiteral(accounts.map(account => account.countedThroughMs)),
    arrayLiteral(accounts.map(account => account.countedThroughSequence)),
  ]
}
