import type { RiskRuleName } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { selectStandings } from './alerts-store.ts'
import { type NewPayment, selectNext, selectTransfers } from './cursor-store.ts'
import { recordFirstPayments } from './new-payees-store.ts'
import { momentOf, type Scope, type Standing, scopeOf, standingKey } from './scope.ts'

/** New payments, and all that several rules need to know of the agents behind them. */
export interface Batch {
  /** The last transfer of it, where the cursor goes. */
  readonly lastId: Uuid
  readonly transfers: number
  readonly byPayer: ReadonlyMap<Uuid, readonly NewPayment[]>
  readonly byPayee: ReadonlyMap<Uuid, readonly NewPayment[]>
  /** Who paid somebody for the first time. */
  readonly payersOfNewPayees: readonly Uuid[]
  readonly standings: ReadonlyMap<string, Standing>
}

const MAX_TRANSFERS = 5_000
/** A window is looked at as it ends with an agent's newest payment of the batch, so a batch must be far shorter than any. */
const MAX_SPAN_MS = 10_000

/** The next transfers behind a position and below a bound; null: there are none. */
export async function readBatch(tx: Queryable, after: Uuid, below: Uuid): Promise<Batch | null> {
  const next = await selectNext(tx)
  if (next === null || next >= below) return null
  const spanEnd = firstUuidAt(new Date(momentOf(next) + MAX_SPAN_MS))
  const transfers = await selectTransfers(tx, after, spanEnd < below ? spanEnd : below, MAX_TRANSFERS)
  const last = transfers.at(-1)
  if (last === undefined) return null
  const payments = transfers.filter(transfer => transfer.kind === 'payment')
  const byPayer = Map.groupBy(payments, payment => payment.payer)
  const byPayee = Map.groupBy(payments, payment => payment.payee)
  const agents = [...new Set([...byPayer.keys(), ...byPayee.keys()])]
  const oldestReview = new Date(momentOf(next) - DAY_MS)
  const standings = await selectStandings(tx, agents, oldestReview)
  return {
    lastId: last.id,
    transfers: transfers.length,
    byPayer,
    byPayee,
    payersOfNewPayees: await recordFirstPayments(tx, payments),
    standings: new Map(standings.map(standing => [standingKey(standing.subjectId, standing.rule), standing])),
  }
}

/** What a rule may look at of the agents of one side, each up to its newest payment of the batch. */
export function scopesOf(
  { standings }: Batch,
  rule: RiskRuleName,
  windowMinutes: number,
  side: ReadonlyMap<Uuid, readonly NewPayment[]>,
): Scope[] {
  const scopes: Scope[] = []
  for (const [agentId, payments] of side) {
    const newest = payments.at(-1)
    if (newest === undefined) continue
    const scope = scopeOf(agentId, newest.id, windowMinutes, standings.get(standingKey(agentId, rule)))
    if (scope !== null) scopes.push(scope)
  }
  return scopes
}
