import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { checkFunding, endFunding, orderIdOf } from '../funding/index.ts'
import { playOutcome } from './play-outcome.ts'
import { type Opened, openWorld, type World } from './test-world.ts'

let world: World

beforeAll(async () => {
  world = await openWorld()
})
afterEach(async () => {
  expect(await world.book()).toMatchObject({ balanced: true })
})
afterAll(() => world.close())

const TIMES = 40

/** Many sessions at once, each with its own agent, so that the races overlap as they would in service. */
async function many(race: (opened: Opened) => Promise<void>): Promise<void> {
  const opened = await Promise.all(
    Array.from({ length: TIMES }, async () => world.open(await world.newAgent())),
  )
  await Promise.all(opened.map(race))
}

async function stateOf({ funding }: Opened): Promise<{ status: string; paise: bigint; refunds: string[] }> {
  const checked = await checkFunding(world.funding, funding)
  const refunds = await world.refundsOf(funding)
  const paise = await world.balance(funding.agentId)
  return { status: checked?.funding.status ?? '', paise, refunds: refunds.map(refund => refund.reason) }
}

const CREDITED_ONCE = { status: 'completed', paise: 97_500n, refunds: [] }

test('ten copies of a notice and two polls at once credit once', async () => {
  await many(async opened => {
    const payment = await world.gateway.rehearsal.pay(orderIdOf(opened.funding), { method: 'upi' })
    const notice = () => world.gateway.rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
    const poll = () => checkFunding(world.funding, opened.funding)
    await Promise.all([...Array.from({ length: 10 }, notice), poll(), poll()])
    expect(await stateOf(opened)).toEqual(CREDITED_ONCE)
  })
})

test('payment and giving up at once end in one of two ways: credited, or failed and sent back', async () => {
  const seen = new Set<string>()
  await many(async opened => {
    await Promise.all([
      playOutcome(world.sandbox, opened.session, 'success'),
      endFunding(world.funding, opened.funding, 'cancelled'),
    ])
    const state = await stateOf(opened)
    seen.add(state.status)
    if (state.status === 'completed') expect(state).toEqual(CREDITED_ONCE)
    else expect(state).toEqual({ status: 'failed', paise: 0n, refunds: ['late'] })
  })
  expect(seen.size).toBeGreaterThan(0)
})

test('two payments at once credit one and send the other back', async () => {
  await many(async opened => {
    const { rehearsal } = world.gateway
    const pay = async () => {
      const payment = await rehearsal.pay(orderIdOf(opened.funding), { method: 'card' })
      await rehearsal.notify('PAYMENT_SUCCESS_WEBHOOK', payment)
    }
    await Promise.all([pay(), pay(), pay()])
    expect(await stateOf(opened)).toEqual({
      status: 'completed',
      paise: 97_500n,
      refunds: ['second_payment', 'second_payment'],
    })
  })
})

test('a chargeback told many times at once is taken once', async () => {
  await many(async opened => {
    await playOutcome(world.sandbox, opened.session, 'success')
    const funding = (await checkFunding(world.funding, opened.funding))?.funding
    const paid = funding?.gatewayPaymentId ?? ''
    const payment = await world.gateway.rehearsal.chargeBack(orderIdOf(opened.funding), paid)
    const notice = () => world.gateway.rehearsal.notify('DISPUTE_CLOSED', payment)
    await Promise.all([notice(), notice(), notice(), checkFunding(world.funding, opened.funding)])
    expect(await stateOf(opened)).toEqual({ status: 'reversed', paise: 0n, refunds: [] })
  })
})

test('payments in the last second and the expiry never credit and refund the same money', async () => {
  const seen = { completed: 0, failed: 0 }
  const opened = await Promise.all(
    Array.from({ length: TIMES }, async () => world.open(await world.newAgent())),
  )
  const paying = opened.map(({ session }) => playOutcome(world.sandbox, session, 'success').catch(() => null))
  world.advance(30 * 60)
  await Promise.all([...paying, world.jobs.runDue()])
  await world.jobs.runDue()
  for (const one of opened) {
    const state = await stateOf(one)
    if (state.status === 'completed') expect(state).toEqual(CREDITED_ONCE)
    else expect(state).toEqual({ status: 'failed', paise: 0n, refunds: ['late'] })
    seen[state.status === 'completed' ? 'completed' : 'failed']++
  }
  expect(seen.completed + seen.failed).toBe(TIMES)
})
