import type { PaymentResult, PolicyLayer } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type ControlColumns, order } from '../../testing/builders.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { type LimitsStage, openLimitsStage } from '../../testing/limits/limits-stage.ts'

const MINUTE_MS = 60_000
const NOON_MS = Date.parse('2026-11-20T06:30:00.000Z')

let stage: LimitsStage
beforeAll(async () => {
  stage = await openLimitsStage(new Date(NOON_MS))
})
afterAll(() => stage.close())

function payAt(moment: number, payer: Uuid, payee: Uuid, amount = 100n): Promise<PaymentResult> {
  stage.setClocks(new Date(moment))
  return stage.nodes[0].pay(order(payer, payee, amount))
}

async function payerAt(atMs: number, layer: PolicyLayer, controls: ControlColumns) {
  stage.setClocks(new Date(atMs))
  return stage.newPayer({ [layer]: controls })
}

describe.each<PolicyLayer>(['owner', 'agent'])('recipients an hour, of the %s layer:', layer => {
  // At noon, across midnight in India, and into a new year.
  test.each(['2026-11-20T06:30:00.000Z', '2026-11-20T18:00:00.000Z', '2026-12-31T18:00:00.000Z'])(
    'one more recipient than the limit is refused, an earlier one is not, and the window ends to the millisecond (%s)',
    async start => {
      const startMs = Date.parse(start)
      const payer = await payerAt(startMs, layer, { max_counterparties_per_hour: 2 })
      const [first, second, third] = [await stage.newPayee(), await stage.newPayee(), await stage.newPayee()]
      await payAt(startMs, payer, first)
      await payAt(startMs + 10 * MINUTE_MS, payer, second)
      const refusal = await refusalOf(payAt(startMs + 10 * MINUTE_MS, payer, third))
      expect(refusal).toMatchObject({
        code: 'spend_limit_exceeded',
        field: 'to',
        details: {
          ...{ rule: 'max_counterparties_per_hour', layer, limit: 2, used: 2, remaining: 0 },
          max_amount_now: 0,
        },
      })
      await payAt(startMs + 20 * MINUTE_MS, payer, second)
      await refusalOf(payAt(startMs + HOUR_MS - 1, payer, third))
      await payAt(startMs + HOUR_MS, payer, third)
      // The first is a new recipient again; the second stays in the window until an hour after its last payment.
      await refusalOf(payAt(startMs + HOUR_MS, payer, first))
      await refusalOf(payAt(startMs + 80 * MINUTE_MS - 1, payer, first))
      await payAt(startMs + 80 * MINUTE_MS, payer, first)
    },
  )

  test('the payment passes at the moment that its refusal names', async () => {
    const payer = await payerAt(NOON_MS, layer, { max_counterparties_per_hour: 1 })
    const [first, second] = [await stage.newPayee(), await stage.newPayee()]
    await payAt(NOON_MS, payer, first)
    const { details } = await refusalOf(payAt(NOON_MS + MINUTE_MS, payer, second))
    await payAt(Date.parse(String(details?.['retry_at'])), payer, second)
  })

  test('a limit of zero recipients is refused without a retry time', async () => {
    const payer = await payerAt(NOON_MS, layer, { max_counterparties_per_hour: 0 })
    const refusal = await refusalOf(payAt(NOON_MS, payer, await stage.newPayee()))
    expect(refusal.details).toEqual({
      ...{ rule: 'max_counterparties_per_hour', layer, limit: 0, used: 0, remaining: 0, max_amount_now: 0 },
      policy_version: expect.any(String),
    })
  })
})

describe.each<PolicyLayer>(['tier', 'owner', 'agent'])('thresholds of the %s layer:', layer => {
  test('a payment up to the escrow threshold is paid, and a paisa above it is referred to escrow', async () => {
    const payer = await payerAt(NOON_MS, layer, { require_escrow_above_paise: 5_000n })
    const payee = await stage.newPayee()
    expect((await payAt(NOON_MS, payer, payee, 5_000n)).status).toBe('completed')
    expect(await refusalOf(payAt(NOON_MS, payer, payee, 5_001n))).toMatchObject({
      code: 'escrow_required',
      details: { rule: 'require_escrow_above', layer, escrow_above: 50, max_amount_now: 50 },
    })
  })

  test('a payment up to the approval threshold is paid, and a paisa above it waits for the owner', async () => {
    const payer = await payerAt(NOON_MS, layer, { require_human_approval_above_paise: 5_000n })
    const payee = await stage.newPayee()
    expect((await payAt(NOON_MS, payer, payee, 5_000n)).status).toBe('completed')
    expect((await payAt(NOON_MS, payer, payee, 5_001n)).status).toBe('pending_approval')
  })
})

describe.each<PolicyLayer>(['owner', 'agent'])('payee lists of the %s layer:', layer => {
  test('only agents on the allow list are paid', async () => {
    const [friend, stranger] = [await stage.newPayee(), await stage.newPayee()]
    const payer = await payerAt(NOON_MS, layer, { allowed_payees: [friend] })
    await payAt(NOON_MS, payer, friend)
    expect(await refusalOf(payAt(NOON_MS, payer, stranger))).toMatchObject({ code: 'authorization_error' })
  })

  test('agents on the block list are not paid', async () => {
    const [foe, stranger] = [await stage.newPayee(), await stage.newPayee()]
    const payer = await payerAt(NOON_MS, layer, { blocked_payee_agents: [foe] })
    await payAt(NOON_MS, payer, stranger)
    expect(await refusalOf(payAt(NOON_MS, payer, foe))).toMatchObject({ code: 'authorization_error' })
  })
})
