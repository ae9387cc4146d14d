import type { Queryable } from '../../db/database.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { type Batch, scopesOf } from './batch.ts'
import { type LegSpan, selectLegsFrom, selectLegsTo } from './circular-flow-store.ts'
import { decideCircularFlow, type Leg } from './decide-circular-flow.ts'
import type { Found } from './finding.ts'
import { inSlices } from './in-slices.ts'
import type { RuleOf } from './rules.ts'
import type { Scope } from './scope.ts'

/** How many agents between the first and the last leg a run looks at; rings through others stay unseen. */
const MAX_AGENTS_BETWEEN = 10_000

/**
 * A ring is closed by a payment to where it began, so only agents that were just paid enough are looked at. Three
 * readings of the hour's larger payments, each set-based, serve all of them: by these agents, by whom those paid, and
 * to who closes the ring.
 */
export async function evaluateCircularFlow(
  tx: Queryable,
  rule: RuleOf<'circular_flow'>,
  batch: Batch,
): Promise<Found[]> {
  const { minAmountPaise, windowMinutes, maxAgents } = rule.thresholds
  const closing = closingLegs(batch, minAmountPaise)
  const scopes = scopesOf(batch, rule.rule, windowMinutes, closing)
  if (scopes.length === 0) return []
  const spanFor = spanOf(scopes, batch.lastId)
  const read = (agents: Iterable<Uuid>, select: typeof selectLegsFrom) =>
    inSlices([...agents].slice(0, MAX_AGENTS_BETWEEN).map(spanFor), slice =>
      select(tx, slice, minAmountPaise),
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

function closingLegs({ byPayee }: Batch, minAmountPaise: number): Map<Uuid, Leg[]> {
  const closing = new Map<Uuid, Leg[]>()
  for (const [payee, payments] of byPayee) {
    const large = payments.filter(payment => Number(payment.amountPaise) >= minAmountPaise)
    if (large.length > 0) closing.set(payee, large)
  }
  return closing
}

/** One span for everybody: the order of a ring's legs settles the rest. */
function spanOf(scopes: readonly Scope[], untilId: Uuid): (agentId: Uuid) => LegSpan {
  const fromMs = scopes.reduce((earliest, scope) => Math.min(earliest, scope.fromMs), Number.MAX_SAFE_INTEGER)
  const fromId = firstUuidAt(new Date(fromMs))
  return agentId => ({ agentId, fromId, untilId })
}

/** Whom the candidates paid, without those whose legs were read already. */
function betweenAgents(
  candidates: readonly Scope[],
  ownLegs: readonly Leg[],
  read: readonly Scope[],
): Set<Uuid> {
  const wanted = new Set(candidates.map(scope => scope.agentId))
  const between = new Set(ownLegs.filter(leg => wanted.has(leg.payer)).map(leg => leg.payee))
  for (const { agentId } of read) between.delete(agentId)
  return between
}

function closers(candidates: readonly Scope[], closing: ReadonlyMap<Uuid, readonly Leg[]>): Set<Uuid> {
  return new Set(candidates.flatMap(({ agentId }) => (closing.get(agentId) ?? []).map(leg => leg.payer)))
}
