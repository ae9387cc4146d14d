import { setImmediate } from 'node:timers/promises'
import type { RiskRuleName } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { slicesOf } from '../../../kernel/slices.ts'
import { selectAlertStates } from '../alerts/store.ts'
import { type AlertState, alertStateKey, momentOf, type Scope, scopeOf } from '../scope.ts'
import type { Payer, Stretch } from './stretch-store.ts'

/** The open and reviewed alerts of agents, by `alertStateKey`. */
export type AlertStates = ReadonlyMap<string, AlertState>

/** Some of the agents that paid within a stretch, with the facts that several rules need. */
export interface Batch {
  readonly stretch: Stretch
  readonly payers: readonly Payer[]
  readonly alertStates: AlertStates
  /** The agents that may have passed money on; null: any agent. */
  readonly receivers: ReadonlySet<Uuid> | null
}

export async function readBatch(
  tx: Queryable,
  stretch: Stretch,
  payers: readonly Payer[],
  receivers: Batch['receivers'],
): Promise<Batch> {
  const alertStates = await readAlertStates(
    tx,
    stretch,
    payers.map(payer => payer.agentId),
  )
  return { stretch, payers, alertStates, receivers }
}

/** No window is longer than a day, so older reviews do not matter. */
export async function readAlertStates(
  tx: Queryable,
  { firstId }: Stretch,
  agentIds: readonly Uuid[],
): Promise<AlertStates> {
  const oldestReview = new Date(momentOf(firstId) - DAY_MS)
  const alertStates = await selectAlertStates(tx, agentIds, oldestReview)
  return new Map(
    alertStates.map(alertState => [alertStateKey(alertState.subjectId, alertState.rule), alertState]),
  )
}

/** The scope of a rule for each payer, up to its newest payment of the stretch. */
export function scopesOf({ payers, alertStates }: Batch, rule: RiskRuleName, windowMinutes: number): Scope[] {
  return payers.flatMap(({ agentId, newestId }) => {
    const scope = scopeOf(agentId, newestId, windowMinutes, alertStates.get(alertStateKey(agentId, rule)))
    return scope === null ? [] : [scope]
  })
}

const SLICE = 250

/** Processes items in slices and yields to the event loop between them, so that no run delays requests for long. */
export async function inSlices<Item, Result>(
  items: readonly Item[],
  work: (slice: readonly Item[]) => Promise<Result[]> | Result[],
): Promise<Result[]> {
  const results: Result[] = []
  for (const slice of slicesOf(items, SLICE)) {
    results.push(...(await work(slice)))
    await setImmediate()
  }
  return results
}
