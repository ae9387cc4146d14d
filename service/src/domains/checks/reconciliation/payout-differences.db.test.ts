import { describe, expect } from 'vitest'
import { transferIdOf } from './testing/reconciliation-stage.ts'
import { type Expected, found, query, stage, test } from './testing/reconciliation-test.ts'

describe('a payout', () => {
  const cases: Record<string, [tamper: string, ...expected: Expected[]]> = {
    'that the provider does not know': [
      `delete from sandbox_payouts`,
      { kind: 'payout_unknown_there', ours: 'completed 100.00', theirs: 'no such payout', amount: 10_000n },
    ],
    'of another amount there': [
      `update sandbox_payouts set amount_paise = 20000`,
      { kind: 'payout_amount_differs', theirs: 'success 200.00', amount: 10_000n },
    ],
    'that failed there': [
      `update sandbox_payouts set behaviour = 'failed'`,
      { kind: 'payout_status_differs', ours: 'completed 100.00', theirs: 'failed 100.00' },
    ],
    'with another reference of the bank': [
      `update payouts set utr = 'UTR000000000000'`,
      { kind: 'payout_utr_differs', ours: 'UTR UTR000000000000' },
    ],
    'whose arrival is not in the ledger': [
      `delete from transfers where kind = 'payout_paid'`,
      { kind: 'payout_status_differs', theirs: 'in the ledger paid 0.00', amount: 10_000n },
    ],
    'whose leaving is not in the ledger': [
      `delete from transfers where kind = 'payout'`,
      { kind: 'payout_status_differs', theirs: 'in the ledger out 0.00' },
    ],
    'of another amount in the ledger': [
      `update transfers set amount_paise = 9900 where kind = 'payout'`,
      { kind: 'payout_amount_differs', theirs: 'in the ledger out 99.00', amount: 100n },
    ],
    'given back although the bank has it': [
      `update payouts set status = 'failed', utr = null`,
      {
        kind: 'payout_status_differs',
        ours: 'failed 100.00',
        theirs: 'in the ledger paid 100.00, failed 0.00',
      },
      { kind: 'payout_status_differs', ours: 'failed 100.00', theirs: 'success 100.00' },
      { kind: 'payout_utr_differs' },
    ],
    'without a row': [
      `delete from payouts`,
      { kind: 'payout_status_differs', ours: 'in the ledger payout 100.00', theirs: 'no such payout' },
      { kind: 'payout_status_differs', ours: 'in the ledger payout_paid 100.00', theirs: 'no such payout' },
    ],
  }
  test.each(Object.entries(cases))('%s', async (_name, [tamper, ...expected]) => {
    const payout = await stage.payOut()
    await query(`update payouts set next_check_at = null`)
    stage.world.advance(11 * 60)
    await query(tamper)
    const seen = await found()
    expect(seen).toHaveLength(expected.length)
    const bySubject = expected.map(one => ({ ...one, subject: transferIdOf(payout) }))
    expect(seen).toEqual(expect.arrayContaining(bySubject.map(one => expect.objectContaining(one))))
  })

  test('that the bank returned after its last check', async () => {
    await stage.payOut('7766671735000')
    await query(`update payouts set next_check_at = null`)
    stage.world.advance(30 * 60)
    expect(await found()).toMatchObject([
      { kind: 'payout_status_differs', ours: 'completed 100.00', theirs: 'reversed 100.00' },
    ])
  })
})
