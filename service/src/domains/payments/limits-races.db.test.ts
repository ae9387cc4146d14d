import type { LimitLayer, PolicyLayer } from '@batua/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ControlColumns, order, outcomesOf } from '../../testing/builders.ts'
import { SEED } from '../../testing/knobs.ts'
import { setLayer } from '../../testing/limits/layers.ts'
import { brokenLimits, raceLimits } from '../../testing/limits/limits-race.ts'
import { randomRaces } from '../../testing/limits/limits-race-program.ts'
import { type LimitsStage, openLimitsStage } from '../../testing/limits/limits-stage.ts'

const ROUNDS = 8
/** Within the same hour, after it, and on another day. */
const PAUSES_MS = [40 * 60_000, 40 * 60_000, 24 * 60 * 60_000 - 1]

let stage: LimitsStage
beforeAll(async () => {
  // Noon in India: no window ends during the race.
  stage = await openLimitsStage(new Date('2026-11-20T06:30:00.000Z'))
})
afterAll(() => stage.close())

const AMOUNT_LIMITS: readonly [LimitLayer, keyof ControlColumns, rule: string][] = [
  ...(['owner', 'agent'] as const).flatMap((layer): [PolicyLayer, keyof ControlColumns, string][] => [
    [layer, 'spend_limit_hourly_paise', 'spend_limit_hourly'],
    [layer, 'per_counterparty_daily_limit_paise', 'per_counterparty_daily_limit'],
  ]),
  ...(['tier', 'owner', 'agent'] as const).flatMap((layer): [PolicyLayer, keyof ControlColumns, string][] => [
    [layer, 'spend_limit_daily_paise', 'spend_limit_daily'],
    [layer, 'spend_limit_monthly_paise', 'spend_limit_monthly'],
  ]),
  ['org', 'spend_limit_monthly_paise', 'budget_limit'],
  ['app', 'spend_limit_daily_paise', 'spend_limit_daily'],
]

describe('200 concurrent payments on two nodes', () => {
  test.each(AMOUNT_LIMITS)(
    'use the limit of the %s layer, %s, as far as they fit',
    async (layer, column, rule) => {
      // No batch ends exactly at this limit, so one crosses it.
      const layers = { [layer]: { [column]: 63_500n } }
      const payments = Array.from({ length: 200 }, () => ({
        ...{ payee: 0, amount: 1_000n },
        isByApp: layer === 'app',
      }))
      const { done, refused, paid } = await raceLimits(stage, { layers, payees: 1, payments })
      expect([done.length, paid.length]).toEqual([63, 63])
      expect(brokenLimits(layers, paid)).toEqual([])
      for (const { details } of refused) {
        expect(details).toMatchObject({ rule, layer, limit: 635, used: 630, remaining: 5, max_amount_now: 5 })
      }
    },
  )

  test.each<PolicyLayer>(['owner', 'agent'])(
    'reach no more recipients than the %s layer allows',
    async layer => {
      const layers = { [layer]: { max_counterparties_per_hour: 7 } }
      const payments = Array.from({ length: 200 }, (_, at) => ({ payee: at % 40, amount: 100n }))
      const { done, paid } = await raceLimits(stage, { layers, payees: 40, payments })
      expect([done.length, new Set(paid.map(({ payee }) => payee)).size]).toEqual([35, 7])
    },
  )

  test.each<[LimitLayer, keyof ControlColumns, string]>([
    ...(['tier', 'owner', 'agent'] as const).flatMap(
      (layer): [PolicyLayer, keyof ControlColumns, string][] => [
        [layer, 'spend_limit_per_tx_paise', 'spend_limit_exceeded'],
        [layer, 'require_escrow_above_paise', 'escrow_required'],
      ],
    ),
    ['app', 'spend_limit_per_tx_paise', 'spend_limit_exceeded'],
  ])('above the %s layer’s %s are all refused, the others all made', async (layer, column, code) => {
    const payments = Array.from({ length: 200 }, (_, at) => ({
      payee: at % 3,
      amount: 990n + BigInt(at % 20),
      isByApp: layer === 'app',
    }))
    const { done, refused } = await raceLimits(stage, {
      layers: { [layer]: { [column]: 1_000n } },
      payees: 3,
      payments,
    })
    expect([done.length, refused.length]).toEqual([110, 90])
    expect(new Set(refused.map(each => each.code))).toEqual(new Set([code]))
  })

  test.each<PolicyLayer>(['tier', 'owner', 'agent'])(
    'above the %s layer’s approval threshold wait up to the maximum number, and none is paid',
    async layer => {
      const layers = { [layer]: { require_human_approval_above_paise: 1_000n } }
      const payments = Array.from({ length: 200 }, (_, at) => ({ payee: 0, amount: 1_000n + BigInt(at % 2) }))
      const { done, paid } = await raceLimits(stage, { layers, payees: 1, payments })
      expect([done.length, paid.length]).toEqual([150, 100])
      expect(Math.max(...paid.map(({ amount }) => Number(amount)))).toBe(1_000)
    },
  )

  test.each<PolicyLayer>(['owner', 'agent'])(
    'reach no agent that the %s layer blocks or does not allow',
    async layer => {
      const [foe, stranger, friend] = [await stage.newPayee(), await stage.newPayee(), await stage.newPayee()]
      const lists = { allowed_payees: [foe, friend], blocked_payee_agents: [foe] }
      const race = { layers: { [layer]: lists }, payees: [foe, stranger, friend] }
      const payments = Array.from({ length: 200 }, (_, at) => ({ payee: at % 3, amount: 100n }))
      const { done, refused, paid } = await raceLimits(stage, { ...race, payments })
      expect([done.length, refused.length]).toEqual([66, 134])
      expect(new Set(paid.map(({ payee }) => payee))).toEqual(new Set([friend]))
    },
  )
})

describe('a limit that is set while payments are in flight', () => {
  test.each<[PolicyLayer, keyof ControlColumns]>([
    ['tier', 'spend_limit_per_tx_paise'],
    ['owner', 'spend_limit_hourly_paise'],
    ['org', 'spend_limit_monthly_paise'],
    ['agent', 'per_counterparty_daily_limit_paise'],
  ])('holds, of the %s layer, for every payment that is sent after it was set', async (layer, column) => {
    const [payer, payee] = [await stage.newPayer(), await stage.newPayee()]
    const send = (count: number) =>
      outcomesOf(
        Array.from({ length: count }, (_, at) =>
          (stage.nodes[at % 2] ?? stage.nodes[0]).pay(order(payer, payee, 100n)),
        ),
      )
    const early = send(200)
    await setLayer(stage.database, payer, layer, { [column]: 0n })
    const late = await send(50)
    expect(late.done).toEqual([])
    for (const { details } of late.refused) expect(details).toMatchObject({ layer, limit: 0 })
    const { done, refused } = await early
    expect(done.length + refused.length).toBe(200)
    await setLayer(stage.database, payer, layer, {})
    expect((await send(10)).done).toHaveLength(10)
  })
})

test('200 concurrent payments exceed no limit of any layers, by the transfers in the ledger', async () => {
  console.log(`race seed ${SEED}`)
  let paidInAll = 0
  let refusedInAll = 0
  await fc.assert(
    fc.asyncProperty(randomRaces(200), async race => {
      const { paid, refused } = await raceLimits(stage, race, PAUSES_MS)
      expect(brokenLimits(race.layers, paid)).toEqual([])
      paidInAll += paid.length
      refusedInAll += refused.length
    }),
    { numRuns: ROUNDS, seed: SEED, endOnFailure: true },
  )
  console.log(`${paidInAll} paid, ${refusedInAll} refused`)
  expect(Math.min(paidInAll, refusedInAll)).toBeGreaterThan(ROUNDS)
})
