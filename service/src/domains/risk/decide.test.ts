import { expect, describe as group, test } from 'vitest'
import { AppError } from '../../kernel/app-error.ts'
import { paise } from '../../kernel/money.ts'
import { bandBelow, decideVelocity, scoreOf } from './decide.ts'
import { type RuleRow, readRules, thresholdsRecord } from './rules.ts'
import { isPolicyRefusal } from './signals.ts'

group('a band below a threshold', () => {
  test('the band under a threshold includes the threshold and ends exactly at its percentage, to the paisa', () => {
    expect(bandBelow(paise(100_000n), 10)).toEqual({ least: 90_000n, most: 100_000n })
    expect(bandBelow(paise(99n), 10)).toEqual({ least: 90n, most: 99n })
    expect(bandBelow(paise(101n), 10)).toEqual({ least: 91n, most: 101n })
    expect(bandBelow(paise(1n), 100)).toEqual({ least: 0n, most: 1n })
  })
})

group('a spike', () => {
  const thresholds = { minPayments: 20, factor: 5, windowMinutes: 10, baselineHours: 24 }
  const facts = { fromMs: 0, toMs: 600_000, paymentIds: [] }

  test('a window of which only a part was read is compared with the usual number for a time of that length', () => {
    const hot = { ...facts, payments: 1_000, spanMs: 36_000 }
    const steady = { paymentsBefore: 5_000, beforeMs: 180_000 }
    expect(decideVelocity({ ...hot, ...steady }, thresholds)).toBeNull()
    const slow = { paymentsBefore: 1_000, beforeMs: 180_000 }
    expect(decideVelocity({ ...hot, ...slow }, thresholds)?.figures).toMatchObject({
      payments: 1_000,
      window_minutes: 0.6,
      usual_payments: 200,
    })
    expect(decideVelocity({ ...hot, ...slow, paymentsBefore: 1_001 }, thresholds)).toBeNull()
  })
})

group('a row of the rules', () => {
  const row: RuleRow = {
    rule: 'pass_through',
    enabled: true,
    severity: 'high',
    score: 40,
    description: 'In and out',
    thresholds: {
      min_times: 3,
      min_amount_paise: 100_050,
      out_percent: 90,
      out_minutes: 10,
      window_minutes: 1440,
    },
  }
  const read = (change: Partial<RuleRow>) => readRules([{ ...row, ...change }]).pass_through

  test('thresholds are read by their names and shown with amounts in INR', () => {
    const rule = read({})
    if ('problem' in rule) throw new Error(rule.problem)
    expect(rule).toMatchObject({ enabled: true, score: 40 })
    expect(thresholdsRecord(rule.thresholds)).toEqual({
      min_times: 3,
      min_amount: 1000.5,
      out_percent: 90,
      out_minutes: 10,
      window_minutes: 1440,
    })
  })

  test.each([
    ['an unknown severity', { severity: 'dire' }, 'severity must be low, medium or high'],
    ['too high a score', { score: 101 }, 'score must be a whole number from 0 to 100'],
    ['no thresholds', { thresholds: null }, 'thresholds must be an object'],
    ['a list of thresholds', { thresholds: [] }, 'thresholds must be an object'],
    ['a missing threshold', { thresholds: {} }, 'min_times must be a whole number from 1 to 500'],
    [
      'a string instead of a number',
      { thresholds: { ...Object(row.thresholds), out_percent: '90' } },
      'out_percent must be a whole number from 1 to 100',
    ],
    [
      'more than 100 percent',
      { thresholds: { ...Object(row.thresholds), out_percent: 101 } },
      'out_percent must be a whole number from 1 to 100',
    ],
    [
      'half a paisa',
      { thresholds: { ...Object(row.thresholds), min_amount_paise: 0.5 } },
      'min_amount_paise must be a whole number of paise above 0',
    ],
    [
      'a window longer than signals are kept',
      { thresholds: { ...Object(row.thresholds), window_minutes: 1441 } },
      'window_minutes must be a whole number from 1 to 1440',
    ],
    [
      'an unknown threshold',
      { thresholds: { ...Object(row.thresholds), min_time: 3 } },
      'min_time is no threshold of this rule',
    ],
  ])('a rule whose row has %s is disabled', (_name, change, problem) => {
    expect(read(change as Partial<RuleRow>)).toMatchObject({ rule: 'pass_through', problem })
  })

  test('a rule without a row is disabled', () => {
    expect(readRules([row]).structuring).toMatchObject({ problem: 'risk_rules has no row of this rule' })
  })
})

test('a refusal by policy is distinguished from all other refusals', () => {
  const codes = ['spend_limit_exceeded', 'escrow_required', 'policy_denied', 'authorization_error'] as const
  for (const code of codes) expect(isPolicyRefusal(new AppError(code, ''))).toBe(true)
  for (const code of ['insufficient_balance', 'validation_error', 'authentication_error'] as const) {
    expect(isPolicyRefusal(new AppError(code, ''))).toBe(false)
  }
  expect(isPolicyRefusal(new Error('policy_denied'))).toBe(false)
  const stopped = (status: string) => new AppError('policy_denied', '', { details: { status } })
  expect([stopped('quarantined'), stopped('paused')].map(isPolicyRefusal)).toEqual([true, false])
})

group('a score', () => {
  const alert = (rule: 'structuring' | 'new_payees' | 'circular_flow', score: number, status = 'open') => ({
    rule,
    score,
    status: status as 'open' | 'confirmed',
    evidence: {
      summary: `${rule} of ${score}.`,
      from: '',
      to: '',
      figures: {},
      thresholds: {},
      payment_ids: [],
      agent_ids: [],
    },
  })

  test('the score is the sum of the highest alert of each rule, and each factor explains itself', () => {
    expect(
      scoreOf([alert('new_payees', 20), alert('structuring', 30, 'confirmed'), alert('structuring', 25)]),
    ).toEqual({
      score: 50,
      factors: [
        {
          rule: 'structuring',
          points: 30,
          detail: 'Confirmed: structuring of 30. And 1 other alert of this rule; only the highest counts.',
        },
        { rule: 'new_payees', points: 20, detail: 'Open: new_payees of 20.' },
      ],
    })
  })

  test('the score is 0 without alerts and never above 100', () => {
    expect(scoreOf([])).toEqual({ score: 0, factors: [] })
    expect(scoreOf([alert('structuring', 60), alert('new_payees', 40)]).score).toBe(100)
    expect(scoreOf([alert('structuring', 60), alert('circular_flow', 41)]).score).toBe(100)
  })
})
