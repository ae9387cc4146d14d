import { SETTLEMENT_SKIP_REASONS, type SettlementSkipReason } from '@batua/contract'
import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { startOfIstDay } from '../../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { keyAt, reader } from '../../../ledger/index.ts'
import type { WalletFacts } from './decide.ts'

/** A wallet as one statement read it, and the length of its history at that moment. */
export interface SeenWallet extends WalletFacts {
  readonly agentId: Uuid
  readonly sequence: bigint
  readonly lastPostedMs: bigint
}

export const BEFORE_ALL_WALLETS: Uuid = '00000000-0000-0000-0000-000000000000'

/**
 * The wallets with a balance, by their ids, after one of them. Nothing is locked. The ids of credits are times,
 * except those of fundings, which are older than their credits and have an index of their own. Rows are compared as
 * wholes, so that no plan scans what came into all wallets lately. What comes back of an authorization is no new money:
 * it is as old as if it had stayed in the wallet.
 */
export async function scanWallets(
  db: Queryable,
  after: Uuid,
  firstYoungDay: number,
  limit: number,
): Promise<SeenWallet[]> {
  const since = startOfIstDay(firstYoungDay)
  return db.query<SeenWallet>(
    `select w.id as "agentId", w.balance_paise as "balancePaise", w.sequence, w.last_posted_ms as "lastPostedMs",
       coalesce(g.held_as, g.status) as status, o.kyc_status = 'verified' and o.bank_account is not null as "hasAccount", c.young as "youngPaise"
     from (select id, balance_paise, sequence, last_posted_ms from accounts
           where id > $1 and balance_paise > 0 order by id limit $2) w
     join agents g on g.id = w.id
     join owners o on o.id = g.owner_id
     cross join lateral (
       select coalesce(sum(came.amount_paise), 0)::int8 as young from (
         select t.amount_paise from transfers t
         where t.credit_account = w.id and (t.credit_account, t.id) >= (w.id, $3)
           and t.kind not in ('fund', 'authorization_return')
         union all
         select f.amount_paise from transfers f
         where f.credit_account = w.id and (f.credit_account, f.posted_at) >= (w.id, $4) and f.kind = 'fund') came) c
     order by w.id`,
    [after, limit, firstUuidAt(since), since],
  )
}

/** The credits of wallets since they were read, in paise. */
export const creditsSince = reader<SeenWallet, Paise>({
  name: 'credits since',
  key: ['agentId', 'sequence', 'lastPostedMs'],
  async load(tx, wallets) {
    const seen = wallets.map(wallet => ({ ...wallet, from: new Date(Number(wallet.lastPostedMs)) }))
    const rows = await tx.query<{ position: number; paise: Paise }>(
      `select k.position::int4 as position, c.paise
       from unnest($1::uuid[], $2::int8[], $3::uuid[], $4::timestamptz[])
         with ordinality k(agent_id, sequence, from_id, from_at, position)
       cross join lateral (
         select coalesce(sum(came.amount_paise), 0)::int8 as paise from (
           select t.amount_paise from transfers t
           where t.credit_account = k.agent_id and (t.credit_account, t.id) >= (k.agent_id, k.from_id)
             and t.kind not in ('fund', 'authorization_return') and t.credit_sequence > k.sequence
           union all
           select f.amount_paise from transfers f
           where f.credit_account = k.agent_id and (f.credit_account, f.posted_at) >= (k.agent_id, k.from_at)
             and f.kind = 'fund' and f.credit_sequence > k.sequence) came) c`,
      [
        arrayLiteral(seen.map(({ agentId }) => agentId)),
        arrayLiteral(seen.map(({ sequence }) => sequence)),
        arrayLiteral(seen.map(({ from }) => firstUuidAt(from))),
        textArrayLiteral(seen.map(({ from }) => from.toISOString())),
      ],
    )
    return rows.map(({ position, paise }) => [keyAt(wallets, position), paise ?? ZERO_PAISE])
  },
})

/** The wallet of an agent on the day of a run. */
interface WalletOnDay {
  readonly agentId: Uuid
  readonly day: number
}

/** The wallets that a day's run has paid out already. */
export const paidOutWallets = reader<WalletOnDay, true>({
  name: 'paid-out wallets',
  key: ['agentId', 'day'],
  async load(tx, keys) {
    const rows = await tx.query<{ agentId: Uuid; day: number }>(
      `select p.agent_id as "agentId", p.settlement_day as day
       from unnest($1::uuid[], $2::int4[]) k(agent_id, day)
       join payouts p on p.settlement_day = k.day and p.agent_id = k.agent_id`,
      [arrayLiteral(keys.map(({ agentId }) => agentId)), arrayLiteral(keys.map(({ day }) => day))],
    )
    return rows.map(row => [row, true])
  },
})

/** The number of wallets that were skipped, by reason; a missing reason means none. */
export type SkipCounts = { readonly [Reason in SettlementSkipReason]?: number }

/**
 * Begins the run of a day, unless a node has, and ends an unfinished run of an earlier day. Returns false if the run of
 * the day has finished.
 */
export async function beginRun(db: Queryable, day: number, now: Date): Promise<boolean> {
  await db.query(BEGIN_RUN, [day, now])
  const unfinished = await db.query(
    `select day from settlement_runs where day = $1 and finished_at is null`,
    [day],
  )
  return unfinished.length > 0
}

/**
 * One statement, so that no crash leaves an earlier run open for ever. The payouts of that run are counted again: its
 * node may have crashed between paying a slice out and counting it.
 */
const BEGIN_RUN = `
  with begun as (
    insert into settlement_runs (day, started_at) values ($1, $2) on conflict do nothing returning day)
  update settlement_runs r set finished_at = $2, (paid_count, paid_paise) = (
      select count(*)::int4, coalesce(sum(p.amount_paise), 0)::int8 from payouts p where p.settlement_day = r.day)
  from begun b where r.day < b.day and r.finished_at is null`

export interface Skip {
  readonly agentId: Uuid
  readonly reason: SettlementSkipReason
  readonly balancePaise: Paise
}

export interface SettledWallets {
  readonly day: number
  /** The wallets after this one, up to the other. */
  readonly after: Uuid
  readonly through: Uuid
  readonly skips: readonly Skip[]
  /** The number of skipped wallets of the run so far. */
  readonly skipped: SkipCounts
  /** Null: the run continues. */
  readonly finishedAt: Date | null
}

/** A wallet without a bank account is skipped every day, so the list is kept for a year only. The counts are kept. */
const SKIPS_KEPT_DAYS = 366

/**
 * Records a slice of a run. Its payouts are counted from the payouts table, so that each is counted once, whichever node
 * made it.
 */
export async function saveSlice(
  tx: Queryable,
  { day, after, through, skips, skipped, finishedAt }: SettledWallets,
): Promise<void> {
  await tx.query(
    `update settlement_runs r set paid_count = r.paid_count + c.paid, paid_paise = r.paid_paise + c.paise,
       skipped = $4::jsonb, finished_at = $5
     from (select count(*)::int4 as paid, coalesce(sum(amount_paise), 0)::int8 as paise from payouts
           where settlement_day = $1 and agent_id > $2 and agent_id <= $3) c
     where r.day = $1 and r.finished_at is null`,
    [day, after, through, JSON.stringify(skipped), finishedAt],
  )
  if (skips.length > 0) await insertSkips(tx, day, skips)
  if (finishedAt !== null) {
    await tx.query(`delete from settlement_skips where day < $1`, [day - SKIPS_KEPT_DAYS])
  }
}

async function insertSkips(tx: Queryable, day: number, skips: readonly Skip[]): Promise<void> {
  await tx.query(
    `insert into settlement_skips (day, agent_id, reason, balance_paise)
     select $1, v.agent_id, v.reason, v.balance
     from unnest($2::uuid[], $3::text[], $4::int8[]) v(agent_id, reason, balance)
     on conflict do nothing`,
    [
      day,
      arrayLiteral(skips.map(skip => skip.agentId)),
      arrayLiteral(skips.map(skip => skip.reason)),
      arrayLiteral(skips.map(skip => skip.balancePaise)),
    ],
  )
}

export interface Run {
  readonly day: number
  readonly paidCount: number
  readonly paidPaise: Paise
  readonly skipped: SkipCounts
  readonly startedAt: Date
  readonly finishedAt: Date | null
}

export interface RunPage {
  readonly fetch: number
  readonly offset: number
  /** Only days before this one; null: from the latest on. */
  readonly beforeDay: number | null
}

export function selectRuns(db: Queryable, { fetch, offset, beforeDay }: RunPage): Promise<Run[]> {
  return db.query<Run>(
    `select day, paid_count as "paidCount", paid_paise as "paidPaise", skipped, started_at as "startedAt",
       finished_at as "finishedAt"
     from settlement_runs where $1::int4 is null or day < $1 order by day desc limit $2 offset $3`,
    [beforeDay, fetch, offset],
  )
}

export async function countRuns(db: Queryable): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(`select count(*) as count from settlement_runs`, [])
  return row?.count ?? 0n
}

export async function selectSkipCounts(db: Queryable, day: number): Promise<SkipCounts | null> {
  const [row] = await db.query<{ skipped: SkipCounts }>(
    `select skipped from settlement_runs where day = $1`,
    [day],
  )
  return row?.skipped ?? null
}

export interface ListedSkip extends Skip {
  /** The agent's id, which is the cursor of the list. */
  readonly id: Uuid
  readonly agentName: string
  readonly ownerId: Uuid
}

export interface SkipFilter {
  readonly day: number
  readonly reason: SettlementSkipReason | null
}

export function selectSkips(
  db: Queryable,
  { day, reason }: SkipFilter,
  {
    fetch,
    offset,
    before,
  }: { readonly fetch: number; readonly offset: number; readonly before: Uuid | null },
): Promise<ListedSkip[]> {
  return db.query<ListedSkip>(
    `select s.agent_id as id, s.agent_id as "agentId", a.name as "agentName", a.owner_id as "ownerId", s.reason,
       s.balance_paise as "balancePaise"
     from settlement_skips s join agents a on a.id = s.agent_id
     where s.day = $1 and ($2::text is null or s.reason = $2) and ($3::uuid is null or s.agent_id < $3)
     order by s.agent_id desc limit $4 offset $5`,
    [day, reason, before, fetch, offset],
  )
}

export function countSkips(counts: SkipCounts, reason: SettlementSkipReason | null): number {
  const reasons: readonly SettlementSkipReason[] = reason === null ? SETTLEMENT_SKIP_REASONS : [reason]
  return reasons.reduce((sum, each) => sum + (counts[each] ?? 0), 0)
}
