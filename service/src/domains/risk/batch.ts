import type { RiskRuleName } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { selectStandings } from './alerts-store.ts'
import { type LimitUsage, momentOf, type Scope, scopeOf, standingKey } from './scope.ts'
import type { Payer, Stretch } from './stretch-store.ts'

/** How agents stand with the rules, by `standingKey`. */
export type Standings = ReadonlyMap<string, LimitUsage>

/** Some of the agents that paid within a stretch, and all that several rules need to know of them. */
export interface Batch {
  readonly stretch: Stretch
  readonly payers: readonly Payer[]
  readonly standings: Standings
  /** Who of them all may have passed money on; null: anybody. */
  readonly receivers: ReadonlySet<Uuid> | null
}

export async function readBatch(
  tx: Queryable,
  stretch: Stretch,
  payers: readonly Payer[],
  receivers: Batch['receivers'],
): Promise<Batch> {
  const standings = await readStandings(
    tx,
    stretch,
    payers.map(payer => payer.agentId),
  )
  return { stretch, payers, standings, receivers }
}

/** No window is longer than a day, so an older review decides nothing any more. */
export async function readStandings(
  tx: Queryable,
  { firstId }: Stretch,
  agentIds: readonly Uuid[],
): Promise<Standings> {
  const oldestReview = new Date(momentOf(firstId) - DAY_MS)
  const standings = await selectStandings(tx, agentIds, oldestReview)
  return new Map(standings.map(standing => [standingKey(standing.subjectId, standing.rule), standing]))
}

/** What a rule may look at of the payers, each up to its newest payment of the stretch. */
export function scopesOf({ payers, standings }: Batch, rule: RiskRuleName, windowMinutes: number): Scope[] {
  return payers.flatMap(({ agentId, newestId }) => {
    const scope = scopeOf(agentId, newestId, windowMinutes, standings.get(standingKey(agentId, rule)))
    return scope === null ? [] : [scope]
  })
}
