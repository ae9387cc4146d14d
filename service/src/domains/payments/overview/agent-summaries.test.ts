import { expect, test } from 'vitest'
import type { LimitUsage } from '../../limits/index.ts'
import { mostUsed } from './agent-summaries.ts'

const limit = (paise: bigint, used: bigint, more: Partial<LimitUsage> = {}): LimitUsage => ({
  ...{ rule: 'spend_limit_daily', layer: 'agent', measures: 'amount', window: 'ist_day' },
  ...{ limit: paise, used, resetsAtMs: null },
  ...more,
})

test('the tightest limit is the one with the smallest share left, and of equal shares the smallest limit', () => {
  const [half, third, unused] = [limit(1_000n, 500n), limit(10_000n, 6_700n), limit(10n, 0n)]
  expect(mostUsed([unused, half, third])).toBe(third)
  expect(mostUsed([limit(100n, 0n), unused])).toBe(unused)
  expect(mostUsed([half, limit(0n, 0n)])?.limit).toBe(0n)
})

test('limits on one payment and on payees are never the tightest over a time', () => {
  const payment = limit(1n, 0n, { window: 'payment' })
  const payees = limit(2n, 2n, { measures: 'payees' })
  expect(mostUsed([payment, payees])).toBeNull()
})
