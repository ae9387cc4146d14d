import type { Queryable } from '../../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../../kernel/ids.ts'
import type { Found } from '../finding.ts'
import type { RuleOf } from '../rules.ts'
import { alertStateKey, type Scope, type Span, scopeOf } from '../scope.ts'
import { inSlices, readAlertStates } from './batch.ts'
import { selectLegsFrom, selectLegsTo } from './circular-flow-store.ts'
import { decideCircularFlow, type Leg } from './decide-circular-flow.ts'
import { type Stretch, selectClosingLegs } from './stretch-store.ts'

/** How many agents one read covers, at either end of a ring and in between; rings through others are not found. */
const MAX_AGENTS = 10_000
/**
 * How many transfers of one agent are read in each direction: a ring through a busier agent may not be found. The
 * number is lower under heavy load, when the transfers of many agents are in memory at once.
 */
const LEGS_EACH = { ordinary: 100, busy: 20 }

/** Evaluates the agents that were paid enough in a stretch, a bounded number of them at once. */
export async function evaluateCircularFlow(
  tx: Queryable,
  rule: RuleOf<'circular_flow'>,
  stretch: Stretch,
): Promise<Found[]> {
  const legsEach = stretch.isBusy ? LEGS_EACH.busy : LEGS_EACH.ordinary
  const { minAmountPaise } = rule.thresholds
  const found: Found[] = []
  for (let behind: Uuid | null = null; ; ) {
    const limits = { minAmountPaise, behind, agents: MAX_AGENTS, legsEach }
    const closing: ReadonlyMap<Uuid, Leg[]> = Map.groupBy(
      await selectClosingLegs(tx, stretch, limits),
      leg => leg.payee,
    )
    found.push(...(await findRings(tx, rule, stretch, closing, legsEach)))
    if (closing.size < MAX_AGENTS) return found
    behind = [...closing.keys()].at(-1) ?? null
  }
}

/**
 * The last payment of a ring goes to the agent where it began, so only agents that were just paid enough are evaluated.
 * Three set-based reads of the hour's larger payments serve all of them: payments by these agents, payments by their
 * payees, and payments to the agents that close a ring.
 */
async function findRings(
  tx: Queryable,
  rule: RuleOf<'circular_flow'>,
  stretch: Stretch,
  closing: ReadonlyMap<Uuid, readonly Leg[]>,
  legsEach: number,
): Promise<Found[]> {
  const { minAmountPaise, maxAgents } = rule.thresholds
  const scopes = await scopesOfClosing(tx, rule, stretch, closing)
  if (scopes.length === 0) return []
  const spanFor = spanOf(scopes, stretch.lastId)
  const read = (agents: Iterable<Uuid>, select: typeof selectLegsFrom) =>
    inSlices([...agents].slice(0, MAX_AGENTS).map(spanFor), slice =>
      select(tx, slice, minAmountPaise, legsEach),
    )

  const ownLegs = await read(
    scopes.map(scope => scope.agentId),
    selectLegsFrom,
  )
  const payers = new Set(ownLegs.map(leg => leg.payer))
  const candidates = scopes.filter(scope => payers.has(scope.agentId))
  const onward = maxAgents < 3 ? [] : await read(betweenAgents(candidates, ownLegs, scopes), selectLegsFrom)
  const back = maxAgents < 4 ? [] : await read(closers(candidates, closing), selectLegsTo)
  const from = Map.groupBy([...ownLegs, ...onward], leg => leg.payer)
  const to = Map.groupBy(back, leg => leg.payee)
  return inSlices(candidates, slice =>
    slice.flatMap(({ agentId, fromMs, toMs }) => {
      const facts = { agentId, fromMs, toMs, closing: closing.get(agentId) ?? [], from, to }
      const finding = decideCircularFlow(facts, rule.thresholds)
      return finding === null ? [] : [{ subjectId: agentId, finding }]
    }),
  )
}

/** The window of each agent. It ends with the newest payment that may close a ring. */
function scopesOfClosing(
  tx: Queryable,
  { rule, thresholds }: RuleOf<'circular_flow'>,
  stretch: Stretch,
  closing: ReadonlyMap<Uuid, readonly Leg[]>,
): Promise<Scope[]> {
  return inSlices([...closing], async slice => {
    const alertStates = await readAlertStates(
      tx,
      stretch,
      slice.map(([agentId]) => agentId),
    )
    return slice.flatMap(([agentId, legs]) => {
      const newestId = legs.at(-1)?.id ?? stretch.lastId
      const alertState = alertStates.get(alertStateKey(agentId, rule))
      const scope = scopeOf(agentId, newestId, thresholds.windowMinutes, alertState)
      return scope === null ? [] : [scope]
    })
  })
}

/** One span for all agents; decideCircularFlow checks the window and the order of the legs. */
function spanOf(scopes: readonly Scope[], untilId: Uuid): (agentId: Uuid) => Span {
  const fromMs = scopes.reduce((earliest, scope) => Math.min(earliest, scope.fromMs), Number.MAX_SAFE_INTEGER)
  const fromId = firstUuidAt(new Date(fromMs))
  return agentId => ({ agentId, fromId, untilId })
}

/** The payees of the candidates, without those whose legs were read already. */
function betweenAgents(
  candidates: readonly Scope[],
  ownLegs: readonly Leg[],
  read: readonly Scope[],
): Set<Uuid> {
  const candidateIds = new Set(candidates.map(scope => scope.agentId))
  const between = new Set(ownLegs.filter(leg => candidateIds.has(leg.payer)).map(leg => leg.payee))
  for (const { agentId } of read) between.delete(agentId)
  return between
}

function closers(candidates: readonly Scope[], closing: ReadonlyMap<Uuid, readonly Leg[]>): Set<Uuid> {
  return new Set(candidates.flatMap(({ agentId }) => (closing.get(agentId) ?? []).map(leg => leg.payer)))
}
