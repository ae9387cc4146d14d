import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { bandBelow, decideNewPayees, decideStructuring, decideVelocity } from '../decide.ts'
import type { Finding, Found } from '../finding.ts'
import type { RuleOf } from '../rules.ts'
import type { Scope } from '../scope.ts'
import { type Batch, scopesOf } from './batch.ts'
import { decidePassThrough } from './decide-pass-through.ts'
import { countNewPayees } from './new-payees-store.ts'
import { selectFlows } from './pass-through-store.ts'
import type { Payer } from './stretch-store.ts'
import { type Band, type BandCount, countInBands, selectAmountThresholds } from './structuring-store.ts'
import { selectVelocity } from './velocity-store.ts'

type Evaluate<Name extends PayerRuleName> = (
  tx: Queryable,
  rule: RuleOf<Name>,
  batch: Batch,
) => Promise<Found[]>

/** The rules that are evaluated for each payer on its own. */
export type PayerRuleName = 'velocity_spike' | 'structuring' | 'new_payees' | 'pass_through'

export const EVALUATORS: { readonly [Name in PayerRuleName]: Evaluate<Name> } = {
  velocity_spike: async (tx, { rule, thresholds }, batch) => {
    const facts = await selectVelocity(tx, scopesOf(batch, rule, thresholds.windowMinutes), thresholds)
    return foundOf(facts, each => decideVelocity(each, thresholds))
  },
  structuring: evaluateStructuring,
  new_payees: async (tx, { rule, thresholds }, batch) => {
    const facts = await countNewPayees(tx, scopesOf(batch, rule, thresholds.windowMinutes), thresholds)
    return foundOf(facts, each => decideNewPayees(each, thresholds))
  },
  pass_through: async (tx, { rule, thresholds }, batch) => {
    const scopes = scopesOf(batch, rule, thresholds.windowMinutes)
    const { receivers } = batch
    const able = receivers === null ? scopes : scopes.filter(scope => receivers.has(scope.agentId))
    const facts = await selectFlows(tx, able, thresholds)
    return foundOf(facts, each => decidePassThrough(each, thresholds))
  },
}

function foundOf<Facts>(facts: ReadonlyMap<Uuid, Facts>, decide: (facts: Facts) => Finding | null): Found[] {
  const found: Found[] = []
  for (const [subjectId, each] of facts) {
    const finding = decide(each)
    if (finding !== null) found.push({ subjectId, finding })
  }
  return found
}

/** Counts only thresholds that a new payment is just under. */
async function evaluateStructuring(
  tx: Queryable,
  { rule, thresholds }: RuleOf<'structuring'>,
  batch: Batch,
): Promise<Found[]> {
  const scopes = scopesOf(batch, rule, thresholds.windowMinutes)
  const bands = await bandsOf(tx, scopes, batch.payers, thresholds.bandPercent)
  if (bands.length === 0) return []
  const inBands = await countInBands(tx, bands, batch.stretch.afterId)
  const counts = Map.groupBy(inBands, ({ band }) => band.scope.agentId)
  const facts = new Map([...counts].map(([agentId, each]) => [agentId, each.map(structuringFacts)]))
  return foundOf(facts, each => decideStructuring(each, thresholds))
}

/** The bands that may contain a new payment of an agent, compared by the lowest and the highest amount that it paid. */
async function bandsOf(
  tx: Queryable,
  scopes: readonly Scope[],
  payers: readonly Payer[],
  bandPercent: number,
): Promise<Band[]> {
  if (scopes.length === 0) return []
  const thresholdsOf = await selectAmountThresholds(
    tx,
    scopes.map(scope => scope.agentId),
  )
  const payerOf = new Map(payers.map(payer => [payer.agentId, payer]))
  const bands: Band[] = []
  for (const scope of scopes) {
    const payer = payerOf.get(scope.agentId)
    // Two layers may set the same amount; the more general layer comes first.
    const seen = new Set<bigint>()
    for (const threshold of thresholdsOf.get(scope.agentId) ?? []) {
      const band = { scope, threshold, ...bandBelow(threshold.paise, bandPercent) }
      if (payer !== undefined && !seen.has(threshold.paise) && mayHit(payer, band)) bands.push(band)
      seen.add(threshold.paise)
    }
  }
  return bands
}

function mayHit({ leastPaise, mostPaise }: Payer, { least, most }: Band): boolean {
  return mostPaise >= least && leastPaise <= most
}

function structuringFacts({ band, payments, totalPaise, paymentIds }: BandCount) {
  const { fromMs, toMs } = band.scope
  return { threshold: band.threshold, payments, totalPaise, fromMs, toMs, paymentIds }
}
