import { afterEach, beforeEach, expect } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { paise } from '../../../kernel/money.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../../testing/paying-out.ts'
import {
  COMPLETED,
  FAILED,
  openPayoutStage,
  type PayoutStage,
  PENDING,
} from '../../../testing/payout-stage.ts'

const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
const MINUTE_MS = 60_000

let people: PayoutNetwork
let stage: PayoutStage

test.beforeAll(async () => {
  people = await openPayoutNetwork(db, clock)
})
beforeEach(async () => {
  stage = await openPayoutStage(db, people, clock)
})
afterEach(() => stage.close())

test('a payout is sent once, to the account of its owner under one beneficiary id, and completed with its UTR', async () => {
  const payout = await stage.withdrawn()
  expect(await stage.move()).toBe(1)
  expect(await stage.payoutState(payout)).toMatchObject({ ...COMPLETED, utr: 'UTR0' })
  expect(await stage.move()).toBe(0)
  const [beneficiary] = stage.provider.beneficiaries
  expect(beneficiary).toMatchObject({ name: 'Asha Rao', bankAccount: '501234567890', ifsc: 'HDFC0001234' })
  expect(beneficiary?.beneficiaryId).toMatch(/^ben_[0-9a-f]{40}$/)
  expect(stage.provider.sent).toEqual([
    {
      transferId: payout.transferId,
      beneficiaryId: `known_${beneficiary?.beneficiaryId}`,
      amountPaise: 10_000n,
      remarks: expect.stringMatching(/^[A-Za-z0-9 ]{1,70}$/),
    },
  ])
  expect(payout.transferId).toMatch(/^[A-Za-z0-9_]{1,40}$/)
})

test('a payout that stays pending is queried, not sent again, until it succeeds', async () => {
  const payout = await stage.withdrawn('pending')
  await stage.move()
  for (let check = 0; check < 5; check++) expect(await stage.moveAfter(30 * MINUTE_MS)).toBe(1)
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { status: 'success', utr: 'UTR9' })
  await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject({ ...COMPLETED, utr: 'UTR9' })
  expect(stage.provider.sent).toHaveLength(1)
})

test('a success without a UTR does not complete the payout until the UTR is reported', async () => {
  const payout = await stage.withdrawn('success_without_utr')
  await stage.move()
  await stage.moveAfter(MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { utr: 'UTR7' })
  await stage.moveAfter(2 * MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject({ ...COMPLETED, utr: 'UTR7' })
})

test('a request whose response was lost after it took effect is found, not repeated', async () => {
  const payout = await stage.withdrawn('lost_after')
  await stage.move()
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
  await stage.moveAfter(MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.sent).toHaveLength(1)
})

test('a request that was lost is repeated under its id, once the provider’s response that it is unknown counts', async () => {
  const payout = await stage.withdrawn('lost_before')
  await stage.move()
  // Due again, but the first request may still arrive.
  expect(await stage.moveAfter(20_000)).toBe(1)
  expect(stage.provider.sent).toHaveLength(1)
  expect(await stage.moveAfter(39_000)).toBe(0)
  expect(await stage.moveAfter(1_000)).toBe(1)
  expect(stage.provider.sent.map(({ transferId }) => transferId)).toEqual([
    payout.transferId,
    payout.transferId,
  ])
  expect(stage.provider.beneficiaries).toHaveLength(1)
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
})

test.each(['failed', 'rejected'] as const)('a payout that is %s is credited back, once', async script => {
  const payout = await stage.withdrawn(script)
  await stage.move()
  await stage.moveAfter(DAY_MS)
  expect(await stage.payoutState(payout)).toMatchObject(FAILED)
})

test('a refusal of an id that was accepted before does not fail the payout', async () => {
  const payout = await stage.withdrawn('lost_before', 'rejected')
  await stage.move()
  // The first request arrives after all, and the second one is refused because its id exists.
  stage.provider.hold(async call => {
    if (call === 'send') stage.provider.arrive({ ...payout, amountPaise: paise(10_000n) }, 'pending')
  })
  await stage.moveAfter(MINUTE_MS)
  expect(stage.provider.sent).toHaveLength(2)
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { status: 'success', utr: 'UTR1' })
  await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
})

test('a provider that is down is queried for as long as it takes, and nothing is credited back meanwhile', async () => {
  const payout = await stage.withdrawn()
  stage.provider.setAway(true)
  for (let check = 0; check < 8; check++) await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
  stage.provider.setAway(false)
  await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.paid.size).toBe(1)
})

test.each([
  ['in the first hour', HOUR_MS],
  ['after six days', 7 * DAY_MS],
])('money that the bank reverses %s is found without a webhook and credited back once', async (_when, ms) => {
  const payout = await stage.withdrawn()
  await stage.move()
  for (const checkMs of [HOUR_MS, DAY_MS, 3 * DAY_MS]) if (checkMs < ms) await stage.moveAfter(checkMs)
  stage.provider.become(payout.transferId, { status: 'reversed', reason: 'returned' })
  await stage.moveAfter(ms)
  await stage.moveAfter(7 * DAY_MS)
  expect(await stage.payoutState(payout)).toMatchObject({
    status: 'reversed',
    balance: 10_000n,
    events: ['agent.withdrawal.completed', 'agent.withdrawal.failed'],
    kinds: ['payout_paid', 'payout_reversed'],
  })
})

test('after a node crashes with payouts claimed another node claims them, and queries them before it sends', async () => {
  const payout = await stage.withdrawn('lost_after')
  await stage.move()
  await database.query(`update payouts set next_check_at = $2 where id = $1`, [payout.id, clock.now()])
  await stage.move(stage.other)
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.sent).toHaveLength(1)
})
