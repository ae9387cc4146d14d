import type { Queryable } from '../../../db/database.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import type { VelocityFacts } from '../decide.ts'
import { MAX_COUNT, type ThresholdsOf } from '../rules.ts'
import { factsByAgent, MINUTE_MS, momentOf, PAID, type Scope, spanColumns } from '../scope.ts'

/** How many transfers of one agent are read in the hours before the window. */
const MAX_ROWS_BEFORE = 2_000

/**
 * Reads two index ranges for each agent, the second only if the first has enough payments. If an agent is so busy that
 * a range has more rows than are read, its newest part represents the whole, with the length of that part.
 */
const SELECT = `
  select a.agent as "agentId", n.rows, n.payments, n.oldest, n.examples,
    b.rows as "rowsBefore", b.payments as "paymentsBefore", b.oldest as "oldestBefore"
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::uuid[])
    a(agent, from_id, until_id, before_from, before_until)
  cross join lateral (
    select count(*)::int4 as rows, count(*) filter (where ${PAID})::int4 as payments,
      (array_agg(id order by id))[1] as oldest,
      (array_agg(id order by id desc) filter (where ${PAID}))[1:10] as examples
    from (
      select id, kind from transfers
      where (debit_account, id) >= (a.agent, a.from_id) and (debit_account, id) <= (a.agent, a.until_id)
      order by debit_account desc, id desc limit $6
    ) newest
  ) n
  cross join lateral (
    select count(*)::int4 as rows, count(*) filter (where ${PAID})::int4 as payments,
      (array_agg(id order by id))[1] as oldest
    from (
      select id, kind from transfers
      where n.payments >= $8 and (debit_account, id) >= (a.agent, a.before_from)
        and (debit_account, id) < (a.agent, case when n.rows >= $6 then n.oldest else a.before_until end)
      order by debit_account desc, id desc limit $7
    ) before
  ) b
  where n.payments >= $8`

interface Row {
  readonly agentId: Uuid
  readonly rows: number
  readonly payments: number
  readonly oldest: Uuid
  readonly examples: Uuid[]
  readonly rowsBefore: number
  readonly paymentsBefore: number
  readonly oldestBefore: Uuid | null
}

/** The agents with enough payments in the window, and how often they paid within it and before it. */
export async function selectVelocity(
  db: Queryable,
  scopes: readonly Scope[],
  { minPayments, windowMinutes, baselineHours }: ThresholdsOf<'velocity_spike'>,
): Promise<Map<Uuid, VelocityFacts>> {
  if (scopes.length === 0) return new Map()
  const windowMs = windowMinutes * MINUTE_MS
  const baselineMs = baselineHours * HOUR_MS
  // After a review the window starts later; the time before it does not change.
  const windowStartMs = (scope: Scope) => scope.toMs - windowMs + 1
  const rows = await db.query<Row>(SELECT, [
    ...spanColumns(scopes),
    scopes.map(scope => firstUuidAt(new Date(windowStartMs(scope) - baselineMs))),
    scopes.map(scope => firstUuidAt(new Date(windowStartMs(scope)))),
    MAX_COUNT,
    MAX_ROWS_BEFORE,
    minPayments,
  ])
  return factsByAgent(rows, scopes, (row, scope) => factsOf(row, scope, windowMs, baselineMs))
}

function factsOf(row: Row, scope: Scope, windowMs: number, baselineMs: number): VelocityFacts {
  const isPart = row.rows >= MAX_COUNT
  const fromMs = isPart ? momentOf(row.oldest) : scope.fromMs
  const isPartBefore = row.rowsBefore >= MAX_ROWS_BEFORE && row.oldestBefore !== null
  const beforeUntilMs = isPart ? fromMs : scope.toMs - windowMs
  return {
    payments: row.payments,
    fromMs,
    toMs: scope.toMs,
    spanMs: isPart ? Math.max(1, scope.toMs - fromMs) : windowMs,
    paymentsBefore: row.paymentsBefore,
    beforeMs: isPartBefore ? Math.max(1, beforeUntilMs - momentOf(row.oldestBefore)) : baselineMs,
    paymentIds: row.examples,
  }
}
