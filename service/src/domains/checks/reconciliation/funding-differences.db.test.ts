import { describe, expect } from 'vitest'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { fund } from '../../../testing/builders.ts'
import { orderIdOf } from './testing/reconciliation-stage.ts'
import { type Expected, found, query, stage, test } from './testing/reconciliation-test.ts'

describe('reconciliation reports a funding', () => {
  const cases: Record<string, [tamper: string, ...expected: Expected[]]> = {
    'of another amount at the gateway': [
      `update sandbox_payments set amount_paise = 50000`,
      { kind: 'amount_differs', ours: 'completed 1000.00', theirs: 'paid 500.00', amount: 50_000n },
    ],
    'paid in another currency': [
      `update sandbox_payments set currency = 'USD'`,
      { kind: 'amount_differs', theirs: 'paid 1000.00 USD', amount: 100_000n },
    ],
    'whose order the gateway does not know': [
      `delete from sandbox_orders`,
      { kind: 'credited_not_paid', theirs: 'no such order', amount: 100_000n },
    ],
    'whose payment failed there': [
      `update sandbox_payments set status = 'failed', paid_at = null`,
      { kind: 'credited_not_paid', ours: 'completed 1000.00', theirs: 'failed' },
    ],
    'of whose payment the gateway knows nothing': [
      `delete from sandbox_payments`,
      { kind: 'credited_not_paid', theirs: 'not paid' },
    ],
    'that is not in the ledger': [
      `delete from transfers where kind = 'fund'`,
      { kind: 'payment_not_credited', theirs: 'not in the ledger', amount: 100_000n },
    ],
    'that the ledger credited to another wallet': [
      `update transfers set credit_account = gen_random_uuid() where kind = 'fund'`,
      { kind: 'payment_not_credited', theirs: 'in the ledger for another wallet' },
    ],
    'of another amount in the ledger': [
      `update transfers set amount_paise = amount_paise - 100 where kind = 'fund'`,
      { kind: 'amount_differs', theirs: 'in the ledger 999.00', amount: 100n },
    ],
    'of another fee in the ledger': [
      `update transfers set fee_paise = fee_paise - 1, amount_paise = amount_paise + 1 where kind = 'fund'`,
      { kind: 'fee_differs', ours: 'fee 24.99', theirs: 'upi: fee 25.00', amount: 1n },
    ],
    'of another fee in its row': [
      `update fundings set fee_paise = 0`,
      { kind: 'fee_differs', ours: 'fee 0.00', theirs: 'upi: fee 25.00' },
    ],
    'really paid by a method without a fee': [
      `update sandbox_payments set method = 'other'`,
      { kind: 'fee_differs', ours: 'fee 25.00', theirs: 'other: fee 0.00', amount: 2_500n },
    ],
    'of another amount in its row': [
      `update fundings set amount_paise = 90000, fee_paise = 2250`,
      { kind: 'amount_differs', ours: 'completed 900.00', theirs: 'in the ledger 1000.00', amount: 10_000n },
      { kind: 'amount_differs', ours: 'completed 900.00', theirs: 'paid 1000.00', amount: 10_000n },
      { kind: 'fee_differs' },
    ],
    'whose row forgot that it was paid': [
      `update fundings set status = 'failed', gateway_payment_id = null, next_check_at = null,
         created_at = created_at`,
      { kind: 'credited_not_paid', ours: 'failed 1000.00, in the ledger 1000.00', theirs: 'paid 1000.00' },
      { kind: 'payment_not_credited', ours: 'failed 1000.00', theirs: 'paid 1000.00' },
    ],
    'charged back without our hearing of it': [
      `update sandbox_payments set charged_back = true, charged_back_at = paid_at`,
      { kind: 'chargeback_not_posted', theirs: 'charged back', amount: 100_000n },
    ],
    'charged back here only': [
      `update fundings set status = 'reversed'`,
      { kind: 'chargeback_not_posted', theirs: 'in the ledger 0.00 taken back' },
      { kind: 'chargeback_unknown_there', ours: 'reversed 1000.00', theirs: 'paid 1000.00' },
    ],
    'without a row': [
      `delete from fundings`,
      { kind: 'credited_not_paid', ours: 'in the ledger fund 1000.00', theirs: 'no such funding' },
      { kind: 'payment_unknown_here', ours: null, theirs: 'payment 1000.00', amount: 100_000n },
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [tamper, ...expected]) => {
    const funding = await stage.fund('success')
    await query(`update fundings set next_check_at = null`)
    stage.world.advance(11 * 60)
    await query(tamper)
    const seen = await found()
    const bySubject = expected.map(one => ({ ...one, subject: orderIdOf(funding) }))
    expect(seen).toHaveLength(expected.length)
    expect(seen).toEqual(expect.arrayContaining(bySubject.map(one => expect.objectContaining(one))))
  })

  test('that was paid without a webhook', async () => {
    const { funding } = await stage.world.open(await stage.world.newAgentOfNewOwner())
    await stage.world.gateway.simulation.pay(orderIdOf(funding), { method: 'card' })
    await query(`update fundings set next_check_at = null, status = 'failed'`)
    stage.world.advance(11 * 60)
    expect(await found()).toMatchObject([
      { kind: 'payment_not_credited', subject: orderIdOf(funding), ours: 'failed 1000.00' },
    ])
  })

  test('that was credited without a payment', async () => {
    const agent = await stage.world.newAgentOfNewOwner()
    const { id } = await fund(stage.world.ledger, agent, 5_000n)
    expect(await found()).toMatchObject([
      { kind: 'credited_not_paid', subject: formatId('fund', id), theirs: 'no such funding', amount: 5_000n },
    ])
  })

  test('that was charged back in the ledger but not in its row', async () => {
    await stage.fund('success')
    const reversed = await stage.fund('success')
    await query(
      `insert into transfers (debit_account, id, credit_account, kind, amount_paise, posted_at, seal, linked_id)
       select credit_account, $1, debit_account, 'chargeback', amount_paise + fee_paise, posted_at, '', id
       from transfers where id = $2`,
      newUuid(stage.world.clock.now()),
      reversed.id,
    )
    expect(await found()).toMatchObject([
      { kind: 'chargeback_unknown_there', subject: orderIdOf(reversed), amount: 100_000n },
    ])
  })
})
