import { AGENT_STATUSES } from '@batua/contract'
import { expect, describe as group, test } from 'vitest'
import type { ProviderPayout } from '../../../gateways/payout-provider.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import {
  decideTransition,
  decideWithdrawal,
  maySendAgain,
  nextCheckAt,
  type WithdrawalFacts,
} from './decide.ts'
import { type Payout, type PayoutState, type ProviderStatus, transferIdOf } from './payout.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')

const account = {
  ownerId: newUuid(NOW),
  bankAccount: Buffer.alloc(0),
  bankAccountLast4: '7890',
  bankIfsc: 'HDFC0001234',
}

group('withdrawing', () => {
  const facts: WithdrawalFacts = {
    status: 'active',
    blockedAs: null,
    account,
    balancePaise: paise(50_000n),
    wantedPaise: null,
  }
  const decide = (change: Partial<WithdrawalFacts>) => decideWithdrawal({ ...facts, ...change })

  test.each<[Partial<WithdrawalFacts>, bigint, string]>([
    [{}, 50_000n, 'all of it'],
    [{ wantedPaise: paise(100n) }, 100n, 'one rupee'],
    [{ wantedPaise: paise(50_000n) }, 50_000n, 'the last paisa'],
    [{ balancePaise: paise(1n) }, 1n, 'a wallet with one paisa'],
  ])('%o pays out %s: %s', (change, amountPaise) => {
    expect(decide(change)).toMatchObject({ kind: 'withdraw', amountPaise })
  })

  test.each<[Partial<WithdrawalFacts>, string]>([
    [{ wantedPaise: paise(50_001n) }, 'more than there is'],
    [{ balancePaise: paise(0n) }, 'nothing'],
    [{ balancePaise: paise(-500n) }, 'less than nothing'],
    [{ balancePaise: paise(-500n), wantedPaise: paise(100n) }, 'a rupee out of less than nothing'],
  ])('%o is insufficient_balance: %s', change => {
    expect(decide(change)).toMatchObject({ kind: 'refusal', code: 'insufficient_balance' })
  })

  test('without a verified account the refusal is kyc_required, whatever the balance', () => {
    expect(decide({ account: null, balancePaise: paise(0n) })).toMatchObject({ code: 'kyc_required' })
  })

  test('the money of an ended agent that was stopped before stays blocked, and the refusal names both states', () => {
    expect(decide({ status: 'deactivated', blockedAs: 'frozen' })).toMatchObject({
      code: 'policy_denied',
      message: expect.stringMatching(/^Agent is deactivated and was frozen before/),
      details: { status: 'deactivated', held_as: 'frozen' },
    })
    expect(decide({ status: 'deactivated' }).kind).toBe('withdraw')
  })

  test('the money of frozen and quarantined agents stays blocked; paused and deactivated agents still pay out to their owner', () => {
    const denied = AGENT_STATUSES.filter(status => decide({ status }).kind === 'refusal')
    expect(denied.toSorted()).toEqual(['frozen', 'quarantined'])
    expect(decide({ status: 'frozen', account: null })).toMatchObject({
      code: 'policy_denied',
      message: 'Agent is frozen',
    })
  })
})

function payoutIn(status: PayoutState, change: Partial<Payout> = {}): Payout {
  return {
    ...account,
    id: '019aa000-0000-7000-8000-000000000000',
    agentId: newUuid(NOW),
    kind: 'withdraw',
    amountPaise: paise(40_000n),
    provider: 'test',
    settlementDay: null,
    requestKey: null,
    createdAt: NOW,
    beneficiaryId: null,
    attempts: 1,
    lastSentAt: NOW,
    status,
    providerPayoutId: null,
    utr: null,
    reason: null,
    closedAt: status === 'pending' ? null : NOW,
    reversedAt: null,
    nextCheckAt: null,
    ...change,
  }
}

function seen(status: ProviderPayout['status'], change: Partial<ProviderPayout> = {}): ProviderStatus {
  const utr = status === 'success' ? 'UTR1' : null
  return {
    kind: 'payout',
    payout: {
      transferId: transferIdOf(payoutIn('pending')),
      providerPayoutId: null,
      status,
      amountPaise: paise(40_000n),
      utr,
      reason: null,
      ...change,
    },
  }
}

const NO_RESPONSE: ProviderStatus = { kind: 'no_response' }
const NONE: ProviderStatus = { kind: 'none' }
const refused = (attempt: number): ProviderStatus => ({ kind: 'refused', code: 'no', attempt })

group('the provider-reported status', () => {
  test.each([
    ['pending', 'success', 'complete', seen('success')],
    ['pending', 'success without a UTR', 'wait', seen('success', { utr: null })],
    ['pending', 'pending', 'wait', seen('pending')],
    ['pending', 'failed', 'fail', seen('failed')],
    ['pending', 'reversed', 'fail', seen('reversed')],
    ['pending', 'refused', 'fail', refused(1)],
    ['pending', 'refused for one that was taken again since', 'wait', refused(0)],
    ['pending', 'unknown', 'wait', NONE],
    ['pending', 'no_response', 'wait', NO_RESPONSE],
    ['completed', 'success', 'wait', seen('success')],
    ['completed', 'pending, an outdated report', 'wait', seen('pending')],
    ['completed', 'reversed', 'reverse', seen('reversed')],
    ['completed', 'refused', 'wait', refused(1)],
    ['completed', 'no_response', 'wait', NO_RESPONSE],
    ['failed', 'failed', 'wait', seen('failed')],
    ['failed', 'reversed', 'wait', seen('reversed')],
    ['failed', 'refused', 'wait', refused(1)],
    ['failed', 'unknown', 'wait', NONE],
    ['reversed', 'reversed', 'wait', seen('reversed')],
    ['reversed', 'success, an outdated report', 'wait', seen('success')],
  ] as const)('of a %s payout, %s, leads to the step %s', (status, _what, step, reported) => {
    expect(decideTransition(payoutIn(status), reported)).toMatchObject({
      step: { kind: step },
      contradiction: null,
    })
  })

  test.each([
    ['pending', 'another amount', seen('success', { amountPaise: paise(1n) })],
    ['pending', 'another payout', seen('success', { transferId: 'po_other' })],
    ['completed', 'failed', seen('failed')],
    ['completed', 'unknown', NONE],
    ['failed', 'success', seen('success')],
  ] as const)(
    'a %s payout with %s keeps its state and is reported as a contradiction',
    (status, _what, reported) => {
      const transition = decideTransition(payoutIn(status), reported)
      expect(transition.step.kind).toBe('wait')
      expect(transition.contradiction).not.toBeNull()
    },
  )
})

group('the next check', () => {
  const inMs = (payout: Payout, reported: ProviderStatus, now = NOW) => {
    const next = nextCheckAt(payout, reported, now)
    return next === null ? null : next.getTime() - now.getTime()
  }
  const later = (ms: number) => new Date(NOW.getTime() + ms)

  test('comes ever later while the payout is pending, but never later than in half an hour', () => {
    const waits = [1, 2, 3, 10, 500].map(attempts => inMs(payoutIn('pending', { attempts }), NO_RESPONSE))
    expect(waits).toEqual([20_000, 40_000, 80_000, 1_800_000, 1_800_000])
  })

  test('of a payout that the provider does not know waits until that response counts', () => {
    expect(inMs(payoutIn('pending'), NONE)).toBe(60_000)
    expect(maySendAgain({ lastSentAt: NOW }, later(59_999))).toBe(false)
    expect(maySendAgain({ lastSentAt: NOW }, later(60_000))).toBe(true)
    expect(maySendAgain({ lastSentAt: null }, NOW)).toBe(true)
  })

  test('after completion happens four times and no more', () => {
    const completed = payoutIn('completed')
    const checks: number[] = []
    for (let at: Date | null = NOW; at !== null; at = nextCheckAt(completed, seen('success'), at)) {
      checks.push(at.getTime() - NOW.getTime())
    }
    expect(checks).toEqual([0, HOUR_MS, DAY_MS, 3 * DAY_MS, 7 * DAY_MS])
  })

  test('after a last one without a response comes again, ever later', () => {
    const completed = payoutIn('completed')
    expect(inMs(completed, NO_RESPONSE, later(6 * DAY_MS))).toBe(DAY_MS)
    expect(inMs(completed, NO_RESPONSE, later(8 * DAY_MS))).toBe(2 * DAY_MS)
    expect(inMs(completed, seen('success'), later(8 * DAY_MS))).toBeNull()
  })

  test.each(['failed', 'reversed'] as const)('of a %s payout is not needed', status => {
    expect(inMs(payoutIn(status), NO_RESPONSE)).toBeNull()
  })
})
