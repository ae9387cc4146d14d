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
 * wholes, so that no plan scans what came into all wallets lately.
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
         where t.credit_account = w.id and (t.credit_account, t.id) >= (w.id, $3) and t.kind <> 'fund'
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
             and t.kind <> 'fund' and t.credit_sequence > k.sequence
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
export const settledWallets = reader<WalletOnDay, true>({
  name: 'settled wallets',
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
