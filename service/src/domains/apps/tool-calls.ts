import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Database, Queryable } from '../../db/database.ts'
import { type Clock, HOUR_MS } from '../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { appActor, type Fact, recordFacts } from '../../operations/facts.ts'
import type { AppKey } from '../limits/index.ts'

/**
 * How often connected apps call tools. Each node counts in memory and stores its totals every second; once an hour is
 * over, the audit log gets one entry of each app.
 */
export interface ToolCalls {
  /**
   * Counts a call. The first one of an app in an hour on this node is stored at once, so that the log has an entry of the
   * hour however this process ends; null: it was counted in memory.
   */
  note(app: AppKey, tool: string): Promise<void> | null
  /** Stores what was counted. What fails is stored with the next call. Never rejects. */
  flush(): Promise<void>
}

interface Counted extends AppKey {
  readonly hour: number
  readonly tool: string
  calls: number
  stored: number
}

/** An hour has its entries this long after its end, when every node has stored its totals. */
const ENTRIES_AFTER_MS = 120_000
/** Later than this nothing is added to an hour any more: it counts in the present one. */
const STORED_WITHIN_MS = 60_000

function hourOf(ms: number): number {
  return Math.floor(ms / HOUR_MS)
}

export function openToolCalls({
  database,
  clock,
  logger,
}: {
  readonly database: Queryable
  readonly clock: Clock
  readonly logger: Logger
}): ToolCalls {
  const node = newUuid(clock.now())
  const counts = new Map<string, Counted>()
  const begun = new Map<string, number>()
  let last: Promise<void> = Promise.resolve()

  function add({ agentId, id }: AppKey, tool: string, hour: number, calls: number): Counted {
    const key = `${hour} ${id} ${tool}`
    const counted = counts.get(key) ?? { agentId, id, hour, tool, calls: 0, stored: 0 }
    counts.set(key, counted)
    counted.calls += calls
    return counted
  }

  async function store(changed: readonly Counted[]): Promise<void> {
    const totals = changed.map(({ calls }) => calls)
    if (totals.length > 0) await writeTotals(database, node, changed, totals)
    for (const [place, counted] of changed.entries())
      counted.stored = Math.max(counted.stored, totals[place] ?? 0)
  }

  /** Forgets hours that are over; what of them is not stored counts in the present hour. */
  function endHours(): void {
    const nowMs = clock.now().getTime()
    const present = hourOf(nowMs)
    const firstOpen = hourOf(nowMs - STORED_WITHIN_MS)
    for (const [key, counted] of counts) {
      if (counted.hour >= firstOpen) continue
      counts.delete(key)
      const missing = counted.calls - counted.stored
      if (missing > 0) add(counted, counted.tool, present, missing)
    }
    for (const [key, hour] of begun) if (hour < firstOpen) begun.delete(key)
  }

  async function flush(): Promise<void> {
    endHours()
    try {
      await store([...counts.values()].filter(({ calls, stored }) => calls > stored))
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error)
      logger.warn({ reason }, 'calls of connected apps were not stored; they will be')
    }
  }

  return {
    note(app, tool) {
      const hour = hourOf(clock.now().getTime())
      const counted = add(app, tool, hour, 1)
      const key = `${hour} ${app.id}`
      return begun.has(key) ? null : store([counted]).then(() => void begun.set(key, hour))
    },
    flush() {
      last = last.then(flush)
      return last
    },
  }
}

/** A total never shrinks: an earlier write may come after a later one. */
const WRITE = `
  insert into app_tool_calls as c (hour, app_id, agent_id, tool, node, calls)
  select v.hour, v.app_id, v.agent_id, v.tool, $1, v.calls
  from unnest($2::int4[], $3::uuid[], $4::uuid[], $5::text[], $6::int4[]) v(hour, app_id, agent_id, tool, calls)
  on conflict (hour, app_id, tool, node) do update set calls = greatest(c.calls, excluded.calls)`

async function writeTotals(
  db: Queryable,
  node: Uuid,
  changed: readonly Counted[],
  totals: readonly number[],
): Promise<void> {
  await db.query(WRITE, [
    node,
    arrayLiteral(changed.map(({ hour }) => hour)),
    arrayLiteral(changed.map(({ id }) => id)),
    arrayLiteral(changed.map(({ agentId }) => agentId)),
    textArrayLiteral(changed.map(({ tool }) => tool)),
    arrayLiteral(totals),
  ])
}

const AT_ONCE = 200

/** Takes the totals of up to 200 apps and hours until $1. Of two nodes at once, one gets the rows of an app. */
const TAKE = `
  with due as (
    select distinct hour, app_id from app_tool_calls where hour <= $1 order by hour, app_id limit ${AT_ONCE}),
  taken as (
    delete from app_tool_calls c using due d where c.hour = d.hour and c.app_id = d.app_id returning c.*),
  sums as (
    select hour, app_id, agent_id, tool, sum(calls)::int4 as calls from taken group by hour, app_id, agent_id, tool)
  select s.hour, s.app_id as id, s.agent_id as "agentId", a.name, jsonb_object_agg(s.tool, s.calls) as calls
  from sums s join connected_apps a on a.agent_id = s.agent_id and a.id = s.app_id
  group by s.hour, s.app_id, s.agent_id, a.name order by s.hour, s.app_id`

/** An app's calls of one hour, by tool. */
interface HourOfCalls extends AppKey {
  readonly hour: number
  readonly name: string
  readonly calls: Readonly<Record<string, number>>
}

/** Writes the entries of hours that are over, in the commit that takes their totals; returns how many. */
export async function recordToolCalls(
  { database, vault }: { readonly database: Database; readonly vault: Vault },
  now: Date,
): Promise<number> {
  const until = hourOf(now.getTime() - ENTRIES_AFTER_MS) - 1
  return database.inTransaction(async tx => {
    const hours = await tx.query<HourOfCalls>(TAKE, [until])
    await recordFacts(tx, vault, now, hours.map(factOf))
    return hours.length
  })
}

function factOf(used: HourOfCalls): Fact {
  const at = (hour: number) => new Date(hour * HOUR_MS).toISOString()
  return {
    agentId: used.agentId,
    actor: appActor(used),
    action: 'app.used',
    target: formatId('app', used.id),
    data: { from: at(used.hour), to: at(used.hour + 1), calls: used.calls },
  }
}
