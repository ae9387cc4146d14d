import fc from 'fast-check'
import { DAY_MS, HOUR_MS } from '../../../../kernel/clock.ts'

/** One step of a program: a change of some layer on one of two nodes, a payment, or time that passes. */
export type Step =
  | { readonly do: 'change'; readonly by: 'agent' | 'owner'; readonly node: number; readonly body: object }
  | { readonly do: 'cancel'; readonly by: 'agent' | 'owner'; readonly node: number; readonly control: string }
  | { readonly do: 'change tier'; readonly node: number; readonly body: object }
  | { readonly do: 'change budget'; readonly node: number; readonly body: object }
  | { readonly do: 'pause' | 'resume'; readonly node: number }
  | { readonly do: 'pay'; readonly node: number; readonly amount: number }
  | { readonly do: 'wait'; readonly ms: number }

// Few values, so that policies come back, and raises and reductions follow each other.
const node = fc.nat({ max: 1 })
const by = fc.constantFrom('agent', 'owner')
const amount = fc.constantFrom(20, 40, 60, null)
const limit = fc.constantFrom('spend_limit_per_tx', 'spend_limit_daily', 'require_human_approval_above')
const newLimit = fc.tuple(limit, amount).map(([control, value]) => ({ [control]: value }))
const newList = fc.constantFrom({ blocked_payee_agents: [] }, { allowed_payees: ['network'] })

const change = fc.record({
  do: fc.constant('change'),
  ...{ by, node, body: fc.oneof({ weight: 5, arbitrary: newLimit }, newList) },
})
const cancel = fc.record({ do: fc.constant('cancel'), by, node, control: limit })
const changeTier = fc.record({
  do: fc.constant('change tier'),
  ...{ node, body: fc.constantFrom({ daily: 70_000 }, { daily: 80_000 }) },
})
const changeBudget = fc.record({
  do: fc.constant('change budget'),
  ...{ node, body: fc.record({ budget_limit: amount }) },
})
const stop = fc.record({ do: fc.constantFrom('pause', 'resume'), node })
const pay = fc.record({ do: fc.constant('pay'), node, amount: fc.constantFrom(1, 30, 50) })
const wait = fc.record({
  do: fc.constant('wait'),
  ms: fc.constantFrom(0, 1, 2, HOUR_MS, DAY_MS - 1, DAY_MS),
})

const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: change },
  { weight: 1, arbitrary: cancel },
  { weight: 1, arbitrary: changeTier },
  { weight: 2, arbitrary: changeBudget },
  { weight: 1, arbitrary: stop },
  { weight: 4, arbitrary: pay },
  { weight: 5, arbitrary: wait },
)

export const programs = fc.array(step, { minLength: 8, maxLength: 30 })
