import { SANDBOX_OUTCOMES, type SandboxOutcome } from '@batua/contract'
import { afterEach, beforeEach, describe, expect } from 'vitest'
import { checkFunding } from '../banking/funding/check-funding.ts'
import { simulateOutcome } from './simulate-outcome.ts'
import { test, world } from './testing/world.ts'

beforeEach(() => {
  world.statuses.length = 0
})
afterEach(async () => {
  expect(await world.checkLedger()).toMatchObject({ balanced: true })
})

interface Expected {
  readonly status: string
  readonly paise: bigint
  readonly refunds?: readonly string[]
  readonly statuses: readonly number[]
}

const CREDITED = { status: 'completed', paise: 97_500n }
const NOT_CREDITED = { paise: 0n }

type Disputed = 'chargeback' | 'chargeback_created' | 'chargeback_won'

const OUTCOMES: Record<Exclude<SandboxOutcome, Disputed>, Expected> = {
  success: { ...CREDITED, statuses: [200] },
  failure: { ...NOT_CREDITED, status: 'failed', statuses: [200] },
  expire: { ...NOT_CREDITED, status: 'failed', statuses: [] },
  drop: { ...NOT_CREDITED, status: 'pending', statuses: [200] },
  pending: { ...NOT_CREDITED, status: 'pending', statuses: [] },
  duplicate: { ...CREDITED, statuses: [200, 200] },
  late: { ...NOT_CREDITED, status: 'failed', refunds: ['late done'], statuses: [200] },
  forged: { ...NOT_CREDITED, status: 'pending', statuses: [401] },
  wrong_amount: { ...NOT_CREDITED, status: 'pending', refunds: ['wrong_amount done'], statuses: [200] },
  wrong_currency: { ...NOT_CREDITED, status: 'pending', refunds: ['wrong_currency done'], statuses: [200] },
  out_of_order: { ...CREDITED, statuses: [200, 200] },
  unnotified: { ...NOT_CREDITED, status: 'pending', statuses: [] },
  double_payment: { ...CREDITED, refunds: ['second_payment done'], statuses: [200, 200] },
  flagged: { ...NOT_CREDITED, status: 'pending', statuses: [] },
  late_notice: { ...NOT_CREDITED, status: 'pending', statuses: [] },
  reserialised: { ...NOT_CREDITED, status: 'pending', statuses: [401] },
  rotated_secret: { ...CREDITED, statuses: [200] },
  unknown_type: { ...NOT_CREDITED, status: 'pending', statuses: [200] },
  unknown_order: { ...NOT_CREDITED, status: 'pending', statuses: [200] },
  refund_pending: { ...CREDITED, refunds: ['second_payment sent'], statuses: [200, 200] },
  refund_failed: { ...CREDITED, refunds: ['second_payment failed'], statuses: [200, 200] },
}

describe('an outcome ends with the right status, balance and refunds', () => {
  const names = SANDBOX_OUTCOMES.filter((outcome): outcome is keyof typeof OUTCOMES => outcome in OUTCOMES)
  test.each(names)('the simulated outcome %s leaves the right status, balance and refunds', async outcome => {
    const agent = await world.newAgentOfNewOwner()
    const { session, funding } = await world.open(agent)
    const expected = OUTCOMES[outcome]
    const simulated = await simulateOutcome(world.sandbox, session, outcome)
    expect(simulated.status).toBe(expected.status)
    expect(await world.balance(agent)).toBe(expected.paise)
    expect(world.statuses).toEqual(expected.statuses)
    const refunds = await world.refundsOf(funding)
    expect(refunds.map(({ reason, status }) => `${reason} ${status}`)).toEqual(expected.refunds ?? [])
  })
})

test('chargeback reverses what was credited, below zero when it was spent', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session } = await world.open(agent)
  await expect(simulateOutcome(world.sandbox, session, 'chargeback')).rejects.toMatchObject({
    code: 'conflict',
  })
  await simulateOutcome(world.sandbox, session, 'success', 'card')
  const second = await world.open(agent, 50_000n)
  await simulateOutcome(world.sandbox, second.session, 'success')
  expect(await world.balance(agent)).toBe(97_500n + 48_750n)

  const reversed = await simulateOutcome(world.sandbox, session, 'chargeback')
  expect(reversed).toMatchObject({ status: 'reversed', paidMethod: 'card' })
  expect(await world.balance(agent)).toBe(48_750n)
  await expect(simulateOutcome(world.sandbox, session, 'chargeback')).rejects.toMatchObject({
    code: 'conflict',
  })
  expect(await world.balance(agent)).toBe(48_750n)
})

test('a payment without a webhook is found within 60 seconds', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session } = await world.open(agent)
  await simulateOutcome(world.sandbox, session, 'unnotified', 'netbanking')
  world.advance(60)
  await world.jobs.runDue()
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a failed attempt leaves the session open, and the next attempt pays it', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session } = await world.open(agent)
  for (const attempt of ['decline', 'drop', 'pending', 'wrong_amount'] as const) {
    expect((await simulateOutcome(world.sandbox, session, attempt)).status).toBe('pending')
  }
  expect((await simulateOutcome(world.sandbox, session, 'success')).status).toBe('completed')
  expect(await world.balance(agent)).toBe(97_500n)
})

test('a session expires after 30 minutes, and what is paid afterwards is refunded', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  world.advance(29 * 60)
  await world.jobs.runDue()
  expect((await checkFunding(world.funding, funding))?.funding.status).toBe('pending')
  world.advance(61)
  await world.jobs.runDue()
  expect((await checkFunding(world.funding, funding))?.funding).toMatchObject({
    status: 'failed',
    failureReason: 'expired',
  })
  expect((await simulateOutcome(world.sandbox, session, 'success')).status).toBe('failed')
  expect(await world.balance(agent)).toBe(0n)
  expect(await world.refundsOf(funding)).toEqual([{ reason: 'late', status: 'done', amount: 100_000n }])
})

test('late money without a webhook is found too', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session, funding } = await world.open(agent)
  await simulateOutcome(world.sandbox, session, 'expire')
  await simulateOutcome(world.sandbox, session, 'unnotified')
  expect(await world.refundsOf(funding)).toEqual([])
  world.advance(61)
  await world.jobs.runDue()
  expect(await world.refundsOf(funding)).toEqual([{ reason: 'late', status: 'done', amount: 100_000n }])
  expect(await world.balance(agent)).toBe(0n)
})

test('the gateway fee applies to the smallest amount too', async () => {
  const agent = await world.newAgentOfNewOwner()
  const { session } = await world.open(agent, 100n)
  await simulateOutcome(world.sandbox, session, 'success')
  expect(await world.balance(agent)).toBe(97n)
})
