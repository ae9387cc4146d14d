import { afterEach, beforeEach, expect } from 'vitest'
import { paise } from '../../../kernel/money.ts'
import { db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../../testing/paying-out.ts'
import { COMPLETED, openPayoutStage, type PayoutStage, PENDING } from '../../../testing/payout-stage.ts'
import { webhookOf } from '../../../testing/scripted-payouts.ts'
import { handleGatewayWebhook } from '../gateway-webhooks.ts'
import { applyPayoutUpdate } from './apply-payout-update.ts'
import { transferIdOf } from './payout.ts'
import { payoutWebhooks } from './payout-webhooks.ts'

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

test('a webhook moves the check of its payout forward, and copies of it in any order change nothing more', async () => {
  const payout = await stage.withdrawn('pending')
  await stage.move()
  const webhooks = { ...stage.node, handlers: payoutWebhooks(stage.node) }
  const sendWebhook = () =>
    handleGatewayWebhook(webhooks, 'scripted', webhookOf('shop_17', payout.transferId), {})
  await sendWebhook()
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
  stage.provider.become(payout.transferId, { status: 'success', utr: 'UTR1' })
  await Promise.all([sendWebhook(), sendWebhook(), sendWebhook()])
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
  stage.provider.become(payout.transferId, { status: 'reversed' })
  await Promise.all([sendWebhook(), sendWebhook(), sendWebhook()])
  expect(await stage.payoutState(payout)).toMatchObject({ status: 'reversed', balance: 10_000n })
})

test('two reports about one payout that are applied in one commit complete it once', async () => {
  const payout = await stage.withdrawn('success_without_utr')
  await stage.move()
  stage.provider.become(payout.transferId, { utr: 'UTR1' })
  const seen = stage.provider.paid.get(payout.transferId)
  if (seen === undefined) throw new Error('It was paid')
  const settle = () => stage.node.ledger.submit(applyPayoutUpdate(payout, { kind: 'payout', payout: seen }))
  const steps = await Promise.all([settle(), settle()])
  expect(steps.map(({ step }) => step)).toEqual(['complete', 'wait'])
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
})

test('a webhook that cannot be processed is to be sent again; one about an unknown payout is accepted', async () => {
  const payout = await stage.withdrawn('pending')
  await stage.move()
  const webhooks = { ...stage.node, handlers: payoutWebhooks(stage.node) }
  stage.provider.setAway(true)
  await expect(
    handleGatewayWebhook(webhooks, 'scripted', webhookOf(payout.transferId), {}),
  ).rejects.toMatchObject({
    code: 'service_unavailable',
  })
  await handleGatewayWebhook(
    webhooks,
    'scripted',
    webhookOf(transferIdOf({ id: payout.agentId }), 'po_x'),
    {},
  )
})

test('a webhook that arrives before the response to the request does not disturb it', async () => {
  const payout = await stage.withdrawn()
  const webhooks = { ...stage.other, handlers: payoutWebhooks(stage.other) }
  stage.provider.hold(async call => {
    if (call !== 'send') return
    stage.provider.hold(null)
    stage.provider.arrive({ ...payout, amountPaise: paise(10_000n) }, 'success')
    await handleGatewayWebhook(webhooks, 'scripted', webhookOf(payout.transferId), {})
  })
  await stage.move()
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
})

test('a worker whose lease another worker took over sends nothing', async () => {
  const payout = await stage.withdrawn('pending')
  const gate = Promise.withResolvers<void>()
  stage.provider.hold(async call => {
    if (call === 'ensure') await gate.promise
  })
  const slow = stage.move()
  await expect.poll(async () => (await stage.payoutState(payout)).attempts).toBe(1)
  stage.provider.hold(null)
  // The lease expires, and the other node claims the payout.
  expect(await stage.moveAfter(2 * MINUTE_MS, stage.other)).toBe(1)
  gate.resolve()
  await slow
  expect(stage.provider.sent).toHaveLength(1)
  expect(await stage.payoutState(payout)).toMatchObject(PENDING)
})

test('a late refusal does not credit back what another node has sent since', async () => {
  const payout = await stage.withdrawn('rejected', 'success')
  const gate = Promise.withResolvers<void>()
  stage.provider.hold(async call => {
    // The slow node has a refusal, and queries the provider to confirm it.
    if (call === 'get') {
      stage.provider.hold(null)
      await gate.promise
    }
  })
  const slow = stage.move()
  await expect.poll(() => stage.provider.sent.length).toBe(1)
  await stage.moveAfter(2 * MINUTE_MS, stage.other)
  gate.resolve()
  await slow
  expect(await stage.payoutState(payout)).toMatchObject(COMPLETED)
  expect(stage.provider.paid.size).toBe(1)
})
