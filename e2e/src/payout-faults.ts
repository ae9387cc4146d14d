import type { TestDatabase } from './database.ts'
import { typeId } from './type-id.ts'

type Query = TestDatabase['query']

interface Payout {
  readonly id: string
  readonly kind: 'withdraw' | 'settlement'
  readonly amount: string
  readonly status: 'pending' | 'completed' | 'failed' | 'reversed'
  readonly utr: string | null
}

interface BankTransfer {
  readonly id: string
  readonly amount: string
  readonly behaviour: string
  readonly isAccepted: boolean
}

interface PayoutEvent {
  readonly name: string
  readonly line: string
  readonly status: string | null
  readonly times: number
}

/** The final states of transfers by account (docs/sandbox.md); all others arrive. */
const ENDS: Readonly<Record<string, Payout['status']>> = {
  failed: 'failed',
  failed_later: 'failed',
  reversed: 'reversed',
}

/** The faults of the payouts once all of them are final: the service's rows compared with the bank's and with the
 * events.
 */
export async function payoutFaults(query: Query): Promise<string[]> {
  const payouts = await query<Payout>(
    `select id, kind, amount_paise::text as amount, status, utr from payouts order by id`,
  )
  const bank = await query<BankTransfer>(
    `select transfer_id as id, amount_paise::text as amount, behaviour, accepted_at is not null as "isAccepted"
     from sandbox_payouts`,
  )
  const events = await query<PayoutEvent>(
    `select name, data ->> 'transaction_id' as line, data ->> 'status' as status, count(*)::int4 as times from events
     where name like 'agent.withdrawal.%' or name = 'agent.settlement.completed' group by 1, 2, 3`,
  )
  const transfers = new Map(bank.map(transfer => [transfer.id, transfer]))
  const known = new Set(payouts.map(({ id }) => typeId('po', id)))
  const byLine = Map.groupBy(events, ({ line }) => line)
  return [
    ...bank.filter(({ id }) => !known.has(id)).map(({ id }) => `${id}: the bank paid what nobody asked for`),
    ...payouts.flatMap(payout => bankFaults(payout, transfers.get(typeId('po', payout.id)))),
    ...payouts.flatMap(payout => eventFaults(payout, byLine.get(typeId('txn', payout.id)) ?? [])),
    ...(await walletFaults(query)),
    ...(await runFaults(query)),
  ]
}

function bankFaults({ id, amount, status, utr }: Payout, transfer: BankTransfer | undefined): string[] {
  const name = typeId('po', id)
  if (transfer === undefined || !transfer.isAccepted) {
    return status === 'failed' ? [] : [`${name}: is ${status}, and the bank has none of it`]
  }
  const faults: string[] = []
  if (transfer.amount !== amount) faults.push(`${name}: the bank has ${transfer.amount} instead of ${amount}`)
  const end = ENDS[transfer.behaviour] ?? 'completed'
  if (status !== end) faults.push(`${name}: is ${status}, and at the bank ${end}`)
  if ((status === 'completed' || status === 'reversed') && utr === null)
    faults.push(`${name}: is ${status} without a UTR`)
  return faults
}

const ARRIVED = { withdraw: 'agent.withdrawal.completed', settlement: 'agent.settlement.completed' } as const
const CAME_BACK = 'agent.withdrawal.failed'

function eventFaults({ id, kind, status }: Payout, events: readonly PayoutEvent[]): string[] {
  const came = `${CAME_BACK} ${status}`
  const wanted: Readonly<Record<Payout['status'], readonly string[]>> = {
    pending: [],
    completed: [ARRIVED[kind]],
    failed: [came],
    reversed: [ARRIVED[kind], came],
  }
  const names = events.flatMap(event =>
    Array.from({ length: event.times }, () => [event.name, event.status].filter(Boolean).join(' ')),
  )
  const isRight = names.toSorted().join() === wanted[status].toSorted().join()
  return isRight
    ? []
    : [`${typeId('txn', id)}: is ${status}, and the platform received "${names.join(', ')}"`]
}

/** Each wallet must have what its fundings and payments left, minus the payouts that were not returned. */
async function walletFaults(query: Query): Promise<string[]> {
  const rows = await query<{ id: string; balance: string; wanted: string }>(
    `select a.id::text, a.balance_paise::text as balance, coalesce(m.sum, 0)::text as wanted from accounts a
     left join (select account, sum(change) as sum from (
       select agent_id as account, amount_paise - fee_paise as change from fundings where status = 'completed'
       union all select debit_account, -(amount_paise + fee_paise) from transfers where kind = 'payment'
       union all select credit_account, amount_paise from transfers where kind = 'payment'
       union all select agent_id, -amount_paise from payouts where status in ('pending', 'completed')) moved
       group by account) m on m.account = a.id
     where exists (select 1 from agents g where g.id = a.id) and a.balance_paise <> coalesce(m.sum, 0)`,
  )
  return rows.map(({ id, balance, wanted }) => `${typeId('agt', id)}: has ${balance} instead of ${wanted}`)
}

/** The faults of settlement: a day's run must end, count its payouts, and pay out each wallet whole and once. */
const RUN_CHECKS: Readonly<Record<string, string>> = {
  'a run has no end': `select day::text as what from settlement_runs where finished_at is null`,
  'a run counts other payouts than there are': `
    select coalesce(r.day, p.day)::text as what from settlement_runs r
    full join (select settlement_day as day, count(*) as count, sum(amount_paise) as paise from payouts
      where kind = 'settlement' group by 1) p on p.day = r.day
    where r.day is null or r.paid_count <> coalesce(p.count, 0) or r.paid_paise <> coalesce(p.paise, 0)`,
  'a run counts others left alone than there are': `
    select r.day::text || ' ' || r.skipped::text as what from settlement_runs r
    left join (select day, jsonb_object_agg(reason, count) as skipped from
      (select day, reason, count(*) as count from settlement_skips group by 1, 2) s group by 1) s on s.day = r.day
    where r.skipped <> coalesce(s.skipped, '{}')`,
  'a wallet is settled twice by one run': `
    select agent_id::text || ' ' || settlement_day as what from payouts where kind = 'settlement'
    group by agent_id, settlement_day having count(*) > 1`,
  'a wallet is both settled and left alone by one run': `
    select p.agent_id::text || ' ' || p.settlement_day as what from payouts p
    join settlement_skips s on s.day = p.settlement_day and s.agent_id = p.agent_id`,
  'a wallet is not settled whole': `
    select p.id::text as what from payouts p join transfers t on t.id = p.id
    where p.kind = 'settlement' and t.debit_balance_paise <> 0`,
}

async function runFaults(query: Query): Promise<string[]> {
  const faults: string[] = []
  for (const [name, text] of Object.entries(RUN_CHECKS)) {
    for (const { what } of await query<{ what: string }>(text)) faults.push(`${name}: ${what}`)
  }
  return faults
}
