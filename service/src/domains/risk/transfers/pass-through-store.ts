import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { MAX_COUNT, type ThresholdsOf } from '../rules.ts'
import { PAID, RECEIVED, type Scope, spanColumns } from '../scope.ts'
import type { Flow, PassThroughFacts } from './decide-pass-through.ts'

/** How many incoming transfers of one agent are read, newest first; this is enough for any alert. */
const MAX_INCOMING = 300

/** Returns no row for an agent that received too few payments of at least the minimum amount. */
const INCOMING = `
  select a.agent as "agentId", i.ids, i.amounts
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select array_agg(id order by id) as ids, array_agg(amount_paise order by id) as amounts, count(*) as times
    from (
      select id, amount_paise, kind from transfers
      where (credit_account, id) >= (a.agent, a.from_id) and (credit_account, id) <= (a.agent, a.until_id)
      order by credit_account desc, id desc limit $5
    ) newest
    where ${RECEIVED} and amount_paise >= $4
  ) i
  where i.times >= $6`

const OUTGOING = `
  select a.agent as "agentId", o.ids, o.amounts
  from unnest($1::uuid[], $2::uuid[], $3::uuid[]) a(agent, from_id, until_id)
  cross join lateral (
    select array_agg(id order by id) as ids, array_agg(amount_paise order by id) as amounts
    from (
      select id, amount_paise, kind from transfers
      where (debit_account, id) >= (a.agent, a.from_id) and (debit_account, id) <= (a.agent, a.until_id)
      order by debit_account desc, id desc limit $4
    ) newest
    where ${PAID}
  ) o
  where o.ids is not null`

interface Row {
  readonly agentId: Uuid
  readonly ids: Uuid[]
  readonly amounts: bigint[]
}

/** The incoming and outgoing payments of agents that received enough. */
export async function selectFlows(
  db: Queryable,
  scopes: readonly Scope[],
  { minAmountPaise, minTimes }: ThresholdsOf<'pass_through'>,
): Promise<Map<Uuid, PassThroughFacts>> {
  if (scopes.length === 0) return new Map()
  const limits = [minAmountPaise, MAX_INCOMING, Math.min(minTimes, MAX_INCOMING)]
  const incoming = new Map(
    (await db.query<Row>(INCOMING, [...spanColumns(scopes), ...limits])).map(row => [
      row.agentId,
      flowsOf(row),
    ]),
  )
  const receivers = scopes.flatMap(scope => {
    const [oldest] = incoming.get(scope.agentId) ?? []
    return oldest === undefined ? [] : [{ ...scope, fromId: oldest.id }]
  })
  if (receivers.length === 0) return new Map()
  const outgoing = new Map(
    (await db.query<Row>(OUTGOING, [...spanColumns(receivers), MAX_COUNT])).map(row => [
      row.agentId,
      flowsOf(row),
    ]),
  )
  return new Map(
    receivers.map(({ agentId, fromMs, toMs }) => [
      agentId,
      { fromMs, toMs, incoming: incoming.get(agentId) ?? [], outgoing: outgoing.get(agentId) ?? [] },
    ]),
  )
}

function flowsOf({ ids, amounts }: Row): Flow[] {
  return ids.map((id, at) => ({ id, amountPaise: (amounts[at] ?? 0n) as Flow['amountPaise'] }))
}
