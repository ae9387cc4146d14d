import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { paise } from '../../../kernel/money.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
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

let db: TestDatabase
let people: PayoutNetwork
let stage: PayoutStage

beforeAll(async () => {
  db = await createTestDatabase()
  people = await openPayoutNetwork(db, clock)
})
beforeEach(async () => {
  stage = await openPayoutStage(db, people, clock)
})
afterEach(() => stage.close())
afterAll(() => db.drop())

test('a payout is sent once, to the account of its owner under one name, and completed with its UTR', async () => {
  const payout = await stage.withdrawn()
  expect(await stage.move()).toBe(1)
  expect(await stage.standing(payout)).toMatchObject({ ...COMPLETED, utr: 'UTR0' })
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

test('a payout that stays pending is asked about, not sent again, until it arrives', async () => {
  const payout = await stage.withdrawn('pending')
  await stage.move()
  for (let look = 0; look < 5; look++) expect(await stage.moveAfter(30 * MINUTE_MS)).toBe(1)
  expect(await stage.standing(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { status: 'success', utr: 'UTR9' })
  await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject({ ...COMPLETED, utr: 'UTR9' })
  expect(stage.provider.sent).toHaveLength(1)
})

test('a success without a UTR is not completed before it has one', async () => {
  const payout = await stage.withdrawn('success_without_utr')
  await stage.move()
  await stage.moveAfter(MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { utr: 'UTR7' })
  await stage.moveAfter(2 * MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject({ ...COMPLETED, utr: 'UTR7' })
})

test('a request whose answer was lost after it took effect is found, not repeated', async () => {
  const payout = await stage.withdrawn('lost_after')
  await stage.move()
  expect(await stage.standing(payout)).toMatchObject(PENDING)
  await stage.moveAfter(MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.sent).toHaveLength(1)
})

test('a request that was lost is repeated under its name, once the stage.provider is believed not to have it', async () => {
  const payout = await stage.withdrawn('lost_before')
  await stage.move()
  // Due again, but the first request may still be on its way.
  expect(await stage.moveAfter(20_000)).toBe(1)
  expect(stage.provider.sent).toHaveLength(1)
  expect(await stage.moveAfter(39_000)).toBe(0)
  expect(await stage.moveAfter(1_000)).toBe(1)
  expect(stage.provider.sent.map(({ transferId }) => transferId)).toEqual([
    payout.transferId,
    payout.transferId,
  ])
  expect(stage.provider.beneficiaries).toHaveLength(1)
  expect(await stage.standing(payout)).toMatchObject(COMPLETED)
})

test.each(['failed', 'rejected'] as const)('a payout that is %s gives the money back, once', async script => {
  const payout = await stage.withdrawn(script)
  await stage.move()
  await stage.moveAfter(DAY_MS)
  expect(await stage.standing(payout)).toMatchObject(FAILED)
})

test('a refusal of a name that got through before is no refusal of the payout', async () => {
  const payout = await stage.withdrawn('lost_before', 'rejected')
  await stage.move()
  // The first request arrives after all, and the second one is refused for its name.
  stage.provider.hold(async call => {
    if (call === 'send') stage.provider.arrive({ ...payout, amountPaise: paise(10_000n) }, 'pending')
  })
  await stage.moveAfter(MINUTE_MS)
  expect(stage.provider.sent).toHaveLength(2)
  expect(await stage.standing(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { status: 'success', utr: 'UTR1' })
  await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject(COMPLETED)
})

test('a stage.provider that is away is asked for as long as it takes, and nothing comes back meanwhile', async () => {
  const payout = await stage.withdrawn()
  stage.provider.setAway(true)
  for (let look = 0; look < 8; look++) await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject(PENDING)
  stage.provider.setAway(false)
  await stage.moveAfter(30 * MINUTE_MS)
  expect(await stage.standing(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.paid.size).toBe(1)
})

test.each([
  ['in the first hour', HOUR_MS],
  ['after six days', 7 * DAY_MS],
])(
  'money that the bank sends back %s is found without a notice and back in the wallet once',
  async (_when, ms) => {
    const payout = await stage.withdrawn()
    await stage.move()
    for (const look of [HOUR_MS, DAY_MS, 3 * DAY_MS]) if (look < ms) await stage.moveAfter(look)
    stage.provider.become(payout.transferId, { status: 'reversed', reason: 'returned' })
    await stage.moveAfter(ms)
    await stage.moveAfter(7 * DAY_MS)
    expect(await stage.standing(payout)).toMatchObject({
      status: 'reversed',
      balance: 10_000n,
      events: ['agent.withdrawal.completed', 'agent.withdrawal.failed'],
      kinds: ['payout_paid', 'payout_reversed'],
    })
  },
)

test('a node that dies with payouts in hand leaves them to be taken again, and asked about first', async () => {
  const payout = await stage.withdrawn('lost_after')
  await stage.move()
  await db.database.query(`update payouts set next_check_at = $2 where id = $1`, [payout.id, clock.now()])
  await stage.move(stage.other)
  expect(await stage.standing(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.sent).toHaveLength(1)
})
