import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Batch, scopesOf } from './batch.ts'
import type { NewPayment } from './cursor-store.ts'
import { bandBelow, decideNewPayees, decideStructuring, decideVelocity } from './decide.ts'
import { decidePassThrough } from './decide-pass-through.ts'
import { evaluateCircularFlow } from './evaluate-circular-flow.ts'
import type { Finding, Found } from './finding.ts'
import { inSlices } from './in-slices.ts'
import { countNewPayees } from './new-payees-store.ts'
import { selectFlows } from './pass-through-store.ts'
import type { RuleOf } from './rules.ts'
import type { Scope } from './scope.ts'
import { type Band, type BandCount, countInBands, selectAmountThresholds } from './structuring-store.ts'
import { selectVelocity } from './velocity-store.ts'

type Evaluate<Name extends TransferRuleName> = (
  tx: Queryable,
  rule: RuleOf<Name>,
  batch: Batch,
) => Promise<Found[]>

/** The rules about payments, which are evaluated for the agents behind new ones. */
export type TransferRuleName =
  | 'velocity_spike'
  | 'structuring'
  | 'circular_flow'
  | 'new_payees'
  | 'pass_through'

export const EVALUATORS: { readonly [Name in TransferRuleName]: Evaluate<Name> } = {
  velocity_spike: async (tx, { rule, thresholds }, batch) => {
    const scopes = scopesOf(batch, rule, thresholds.windowMinutes, batch.byPayer)
    const facts = await selectVelocity(tx, scopes, thresholds)
    return foundOf(facts, each => decideVelocity(each, thresholds))
  },
  structuring: evaluateStructuring,
  circular_flow: evaluateCircularFlow,
  new_payees: async (tx, { rule, thresholds }, batch) => {
    const payers = pick(batch.byPayer, batch.payersOfNewPayees)
    const facts = await countNewPayees(
      tx,
      scopesOf(batch, rule, thresholds.windowMinutes, payers),
      thresholds,
    )
    return foundOf(facts, each => decideNewPayees(each, thresholds))
  },
  pass_through: async (tx, { rule, thresholds }, batch) => {
    const scopes = scopesOf(batch, rule, thresholds.windowMinutes, batch.byPayer)
    return inSlices(scopes, async slice => {
      const facts = await selectFlows(tx, slice, thresholds)
      return foundOf(facts, each => decidePassThrough(each, thresholds))
    })
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

function pick<Value>(map: ReadonlyMap<Uuid, Value>, keys: readonly Uuid[]): Map<Uuid, Value> {
  const wanted = new Set(keys)
  return new Map([...map].filter(([key]) => wanted.has(key)))
}

/** Only thresholds that a new payment keeps just under are counted at all. */
async function evaluateStructuring(
  tx: Queryable,
  { rule, thresholds }: RuleOf<'structuring'>,
  batch: Batch,
): Promise<Found[]> {
  const scopes = scopesOf(batch, rule, thresholds.windowMinutes, batch.byPayer)
  const bands = await bandsOf(tx, scopes, batch.byPayer, thresholds.bandPercent)
  if (bands.length === 0) return []
  const counts = Map.groupBy(await countInBands(tx, bands), ({ band }) => band.scope.agentId)
  const facts = new Map([...counts].map(([agentId, each]) => [agentId, each.map(structuringFacts)]))
  return foundOf(facts, each => decideStructuring(each, thresholds))
}

async function bandsOf(
  tx: Queryable,
  scopes: readonly Scope[],
  byPayer: Batch['byPayer'],
  bandPercent: number,
): Promise<Band[]> {
  const thresholdsOf = await selectAmountThresholds(
    tx,
    scopes.map(scope => scope.agentId),
  )
  const bands: Band[] = []
  for (const scope of scopes) {
    const payments = byPayer.get(scope.agentId) ?? []
    // Two layers may name the same amount; the more general one is the first.
    const seen = new Set<bigint>()
    for (const threshold of thresholdsOf.get(scope.agentId) ?? []) {
      const band = { scope, threshold, ...bandBelow(threshold.paise, bandPercent) }
      if (!seen.has(threshold.paise) && payments.some(payment => isWithin(payment, band))) bands.push(band)
      seen.add(threshold.paise)
    }
  }
  return bands
}

function isWithin({ amountPaise }: NewPayment, { least, most }: Band): boolean {
  return amountPaise >= least && amountPaise <= most
}

function structuringFacts({ band, payments, totalPaise, paymentIds }: BandCount) {
  const { fromMs, toMs } = band.scope
  return { threshold: band.threshold, payments, totalPaise, fromMs, toMs, paymentIds }
}
