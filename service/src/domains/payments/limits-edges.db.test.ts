import type { PaymentResult, PolicyLayer } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type ControlColumns, order } from '../../testing/builders.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { type LimitsStage, openLimitsStage } from '../../testing/limits/limits-stage.ts'

const NOON = '2026-11-20T06:30:00.000Z'
const LIMIT = 10_000n

let stage: LimitsStage
beforeAll(async () => {
  stage = await openLimitsStage(new Date(NOON))
})
afterAll(() => stage.close())

/** Each limit by what it counts, and the layers that can have it. */
const AMOUNT_LIMITS: readonly [rule: string, column: keyof ControlColumns, layers: readonly PolicyLayer[]][] =
  [
    ['spend_limit_per_tx', 'spend_limit_per_tx_paise', ['tier', 'owner', 'agent']],
    ['spend_limit_hourly', 'spend_limit_hourly_paise', ['owner', 'agent']],
    ['spend_limit_daily', 'spend_limit_daily_paise', ['tier', 'owner', 'agent']],
    ['spend_limit_monthly', 'spend_limit_monthly_paise', ['tier', 'owner', 'agent']],
    ['budget_limit', 'spend_limit_monthly_paise', ['org']],
    ['per_counterparty_daily_limit', 'per_counterparty_daily_limit_paise', ['owner', 'agent']],
  ]

type Limit = [layer: PolicyLayer, rule: string, column: keyof ControlColumns]
const LIMITS: readonly Limit[] = AMOUNT_LIMITS.flatMap(([rule, column, layers]) =>
  layers.map((layer): Limit => [layer, rule, column]),
)

function payAt(moment: number, payer: Uuid, payee: Uuid, amount: bigint): Promise<PaymentResult> {
  stage.setClocks(new Date(moment))
  return stage.nodes[0].pay(order(payer, payee, amount))
}

async function wallets(at: string, layer: PolicyLayer, controls: ControlColumns) {
  stage.setClocks(new Date(at))
  const [payer, payee] = [await stage.newPayer({ [layer]: controls }), await stage.newPayee()]
  return { payer, payee, atMs: Date.parse(at) }
}

describe.each(LIMITS)('a limit of the %s layer, %s,', (layer, rule, column) => {
  test('lets the last paisa pass and not one more, and the refusal names the limit', async () => {
    const { payer, payee, atMs } = await wallets(NOON, layer, { [column]: LIMIT })
    const perPayment = rule === 'spend_limit_per_tx'
    if (!perPayment) await payAt(atMs, payer, payee, 6_000n)
    const left = perPayment ? LIMIT : 4_000n
    const refusal = await refusalOf(payAt(atMs, payer, payee, left + 1n))
    expect(refusal).toMatchObject({
      code: 'spend_limit_exceeded',
      field: 'amount',
      details: {
        ...{ rule, layer, limit: 100, used: perPayment ? 0 : 60 },
        ...{ remaining: Number(left) / 100, max_amount_now: Number(left) / 100 },
      },
    })
    await payAt(atMs, payer, payee, left)
  })

  test('of zero lets no paisa pass, and waiting does not help', async () => {
    const { payer, payee, atMs } = await wallets(NOON, layer, { [column]: 0n })
    const { details } = await refusalOf(payAt(atMs, payer, payee, 1n))
    expect(details).toEqual({
      ...{ rule, layer, limit: 0, used: 0, remaining: 0, max_amount_now: 0 },
      policy_version: expect.any(String),
    })
  })
})

/** When a window ends that was filled at a moment. */
type Edge = [filledAt: string, freeAt: string]

const later = (moment: string, ms: number) => new Date(Date.parse(moment) + ms).toISOString()
/** In the middle of the day, around midnight in India, and where months and years end. */
const ROLLING_STARTS = [
  NOON,
  '2026-11-20T18:00:00.000Z',
  '2026-11-20T18:29:59.999Z',
  '2026-11-30T18:29:59.999Z',
  '2026-12-31T18:30:00.000Z',
  '2028-02-28T18:30:00.000Z',
]
const rolling = (ms: number) => ROLLING_STARTS.map((start): Edge => [start, later(start, ms)])

/** The first and the last millisecond of days in India, by the start of the next day. */
const DAY_ENDS = [
  '2026-11-20T18:30:00.000Z',
  '2026-11-30T18:30:00.000Z',
  '2026-12-31T18:30:00.000Z',
  '2027-02-28T18:30:00.000Z',
  '2028-02-28T18:30:00.000Z',
  '2028-02-29T18:30:00.000Z',
]
const DAYS = DAY_ENDS.flatMap((end): Edge[] => [
  [later(end, -DAY_MS), end],
  [later(end, -1), end],
])

/** Months from their first and last millisecond, and February from the last of its 28th day. */
const MONTHS: readonly Edge[] = [
  ['2026-10-31T18:30:00.000Z', '2026-11-30T18:30:00.000Z'],
  ['2026-11-30T18:29:59.999Z', '2026-11-30T18:30:00.000Z'],
  ['2026-11-30T18:30:00.000Z', '2026-12-31T18:30:00.000Z'],
  ['2026-12-31T18:29:59.999Z', '2026-12-31T18:30:00.000Z'],
  ['2027-01-31T18:30:00.000Z', '2027-02-28T18:30:00.000Z'],
  ['2027-02-28T18:29:59.999Z', '2027-02-28T18:30:00.000Z'],
  ['2028-01-31T18:30:00.000Z', '2028-02-29T18:30:00.000Z'],
  ['2028-02-28T18:29:59.999Z', '2028-02-29T18:30:00.000Z'],
  ['2028-02-28T18:30:00.000Z', '2028-02-29T18:30:00.000Z'],
  ['2028-02-29T18:29:59.999Z', '2028-02-29T18:30:00.000Z'],
]

function edgesOf(layer: PolicyLayer, rule: string): readonly Edge[] {
  switch (rule) {
    case 'spend_limit_hourly':
      return rolling(HOUR_MS)
    case 'spend_limit_daily':
      return layer === 'tier' ? rolling(DAY_MS) : DAYS
    case 'per_counterparty_daily_limit':
      return DAYS
    case 'spend_limit_monthly':
    case 'budget_limit':
      return MONTHS
    default:
      return []
  }
}

const WINDOW_EDGES = LIMITS.flatMap(limit =>
  edgesOf(limit[0], limit[1]).map((edge): [...Limit, ...Edge] => [...limit, ...edge]),
)

describe('a window', () => {
  test.each(WINDOW_EDGES)(
    'of the %s layer, %s (%s), filled at %s, is free at %s and not a millisecond before',
    async (layer, rule, column, filledAt, freeAt) => {
      const { payer, payee, atMs } = await wallets(filledAt, layer, { [column]: LIMIT })
      await payAt(atMs, payer, payee, LIMIT)
      const freeMs = Date.parse(freeAt)
      const refusal = await refusalOf(payAt(freeMs - 1, payer, payee, 1n))
      expect(refusal.details).toEqual({
        ...{ rule, layer, limit: 100, used: 100, remaining: 0, max_amount_now: 0 },
        retry_at: freeAt,
        policy_version: expect.any(String),
      })
      await payAt(freeMs, payer, payee, LIMIT)
      const full = await refusalOf(payAt(freeMs, payer, payee, 1n))
      expect(full.details).toMatchObject({ rule, layer, used: 100 })
    },
  )
})
