import { describe, expect } from 'vitest'
import { orderIdOf } from './testing/reconciliation-stage.ts'
import { type Expected, found, query, stage, test } from './testing/reconciliation-test.ts'

describe('a refund', () => {
  const cases: Record<string, [tamper: string, ...expected: Expected[]]> = {
    'that the gateway does not know': [
      `delete from sandbox_refunds`,
      { kind: 'refund_not_made', ours: 'refund done 1000.00', theirs: 'no such refund', amount: 100_000n },
    ],
    'that failed there': [
      `update sandbox_refunds set status = 'failed', done_at = null`,
      { kind: 'refund_not_made', theirs: 'failed' },
    ],
    'that failed here and was made there': [
      `update gateway_refunds set status = 'failed'`,
      { kind: 'refund_status_differs', ours: 'refund failed 1000.00', theirs: 'done' },
    ],
    'that is still due here and was made there': [
      `update gateway_refunds set status = 'due', next_attempt_at = null`,
      { kind: 'refund_status_differs', ours: 'refund due 1000.00', theirs: 'done' },
    ],
    'of another amount there': [
      `update sandbox_refunds set amount_paise = 40000`,
      { kind: 'amount_differs', theirs: 'refund 400.00', amount: 60_000n },
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [tamper, ...expected]) => {
    await stage.fund('double_payment')
    stage.world.advance(11 * 60)
    await query(tamper)
    expect(await found()).toMatchObject(expected)
  })

  test('that this service did not request is reported as unknown, and its payment is not compared', async () => {
    const funding = await stage.fund('double_payment')
    await query(`delete from gateway_refunds`)
    await query(`update fundings set next_check_at = null`)
    stage.world.advance(11 * 60)
    const subject = orderIdOf(funding)
    expect(await found()).toMatchObject([
      { kind: 'payment_not_credited', subject, amount: 100_000n },
      { kind: 'payment_unknown_here', subject, theirs: 'refund 1000.00' },
    ])
  })

  test('of the payment that was credited is reported', async () => {
    const funding = await stage.fund('success')
    await query(
      `insert into gateway_refunds (id, gateway, order_id, gateway_payment_id, amount_paise, currency, reason,
         status, created_at)
       select gen_random_uuid(), 'sandbox', $1, gateway_payment_id, amount_paise, 'INR', 'late', 'done', created_at
       from fundings`,
      orderIdOf(funding),
    )
    expect(await found()).toMatchObject([{ kind: 'credited_not_paid', theirs: 'paid 1000.00, refunded' }])
  })

  test('of a payment that the bank took back is no longer expected', async () => {
    await stage.fund('double_payment')
    await query(`update sandbox_refunds set status = 'failed', done_at = null`)
    await query(
      `update sandbox_payments set charged_back = true where id in (select payment_id from sandbox_refunds)`,
    )
    expect(await found()).toEqual([])
  })
})
