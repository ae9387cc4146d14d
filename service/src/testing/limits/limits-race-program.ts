import { LIMIT_LAYERS, type LimitLayer } from '@batua/contract'
import fc from 'fast-check'
import type { ControlColumns } from '../builders.ts'
import { CONTROLS_OF } from './layers.ts'
import type { Layers, Race } from './limits-race.ts'

const PAYEES = 12

/** A few hundred payments of this size exceed most of these limits many times. */
const limit = fc.bigInt(500n, 60_000n)
const everyControl: fc.Arbitrary<ControlColumns> = fc.record(
  {
    spend_limit_per_tx_paise: fc.bigInt(100n, 1_500n),
    spend_limit_hourly_paise: limit,
    spend_limit_daily_paise: limit,
    spend_limit_monthly_paise: limit,
    per_counterparty_daily_limit_paise: fc.bigInt(500n, 8_000n),
    max_counterparties_per_hour: fc.integer({ min: 1, max: PAYEES }),
    require_escrow_above_paise: fc.bigInt(300n, 1_500n),
  },
  { requiredKeys: [] },
)

function controlsOf(layer: LimitLayer): fc.Arbitrary<ControlColumns> {
  const columns = new Set<string>(CONTROLS_OF[layer])
  return everyControl.map(controls =>
    Object.fromEntries(Object.entries(controls).filter(([column]) => columns.has(column))),
  )
}

const layers: fc.Arbitrary<Layers> = fc
  .tuple(
    ...LIMIT_LAYERS.map(layer => fc.option(controlsOf(layer).map(controls => [layer, controls] as const))),
  )
  .map(all => Object.fromEntries(all.filter(layer => layer !== null)))

/** Concurrent payments under random layers: large ones, some of which no layer allows, or small ones. */
export function randomRaces(payments: number): fc.Arbitrary<Race> {
  return fc.constantFrom(60n, 1_200n).chain(most => {
    const payment = fc.record({
      payee: fc.integer({ min: 0, max: PAYEES - 1 }),
      amount: fc.bigInt(1n, most),
      isByApp: fc.boolean(),
    })
    return fc.record({
      layers,
      payees: fc.constant(PAYEES),
      payments: fc.array(payment, { minLength: payments, maxLength: payments }),
    })
  })
}
