import { describe, expect } from 'vitest'
import type { GatewayRecord } from '../../../gateways/payment-gateway.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { sessionIdOf } from '../../banking/funding/funding-record.ts'
import { simulateOutcome } from '../../sandbox/simulate-outcome.ts'
import { orderIdOf, transferIdOf } from './testing/reconciliation-stage.ts'
import { found, query, reopenStage, stage, test } from './testing/reconciliation-test.ts'

describe('a late transfer', () => {
  test('has its old funding checked', async () => {
    const funding = await stage.fund('success')
    stage.world.advance(60 * 86_400)
    await simulateOutcome(stage.world.sandbox, sessionIdOf(funding), 'chargeback')
    await query(`update fundings set next_check_at = null`)
    await stage.compare(stage.context, 1)
    expect(await stage.differences()).toEqual([])
    await query(`update sandbox_payments set charged_back = false, charged_back_at = null`)
    await stage.compare(stage.context, 1)
    expect(await stage.differences()).toMatchObject([
      { kind: 'chargeback_unknown_there', subject: orderIdOf(funding) },
    ])
  })

  test('has its old payout checked', async () => {
    const payout = await stage.payOut('7766671735000')
    await query(`update payouts set next_check_at = null`)
    stage.world.advance(60 * 86_400)
    await stage.follow(payout)
    await query(`update sandbox_payouts set behaviour = 'paid'`)
    await stage.compare(stage.context, 1)
    expect(await stage.differences()).toMatchObject([
      { kind: 'payout_status_differs', subject: transferIdOf(payout), ours: 'reversed 100.00' },
    ])
  })
})

describe('the gateway’s own records', () => {
  async function strangePayment(orderId: string): Promise<void> {
    const now = stage.world.clock.now()
    const order = { orderId, amountPaise: paise(70_000n), currency: 'INR', note: 'x' } as const
    const customer = { id: 'x', phone: '9876543210' }
    const expiresAt = new Date(now.getTime() + 60_000)
    await stage.world.gateway.createOrder({ ...order, customer, expiresAt })
    await stage.world.gateway.simulation.pay(orderId, { method: 'upi' })
  }

  test('name a payment for an order of ours that we never opened', async () => {
    const subject = formatId('fund', newUuid(stage.world.clock.now()))
    await strangePayment(subject)
    expect(await found()).toMatchObject([
      { kind: 'payment_unknown_here', subject, theirs: 'payment 700.00', amount: 70_000n },
    ])
  })

  test('name orders of another service on the same account, which are only counted', async () => {
    await strangePayment('shop-4711')
    const { totals } = await stage.compare()
    expect(await stage.differences()).toEqual([])
    expect(totals.foreign).toMatchObject({ count: 1, theirsPaise: 70_000n })
  })

  test('name a settlement whose amount does not match its payments', async () => {
    await reopenStage({
      payments: gateway => ({
        ...gateway,
        async listRecords(from, to, cursor) {
          const response = await gateway.listRecords(from, to, cursor)
          if (response.kind !== 'value') return response
          const records = response.value.records.map(withLessSettled)
          return { kind: 'value', value: { ...response.value, records } }
        },
      }),
    })
    await stage.fund('success')
    stage.world.advance(3 * 86_400)
    await stage.world.jobs.runDue()
    expect(await found()).toMatchObject([
      {
        kind: 'settlement_amount_differs',
        ours: '1 movements come to 975.00',
        theirs: 'settled 974.00, charges 25.00',
        amount: 100n,
      },
    ])
  })

  function withLessSettled(record: GatewayRecord): GatewayRecord {
    return record.kind === 'settlement'
      ? { ...record, amountPaise: paise(record.amountPaise - 100n) }
      : record
  }

  test('name a chargeback that the order does not show', async () => {
    await reopenStage({
      payments: gateway => ({
        ...gateway,
        async getOrder(key) {
          const response = await gateway.getOrder(key)
          if (response.kind !== 'value' || response.value === null) return response
          const payments = response.value.payments.map(payment => ({ ...payment, chargedBack: false }))
          return { kind: 'value', value: { ...response.value, payments } }
        },
      }),
    })
    const funding = await stage.fund('success')
    await query(`update fundings set next_check_at = null`)
    await query(`update sandbox_payments set charged_back = true, charged_back_at = paid_at`)
    stage.world.advance(11 * 60)
    expect(await found()).toMatchObject([
      { kind: 'chargeback_not_posted', subject: orderIdOf(funding), theirs: 'chargeback 1000.00' },
    ])
  })
})
