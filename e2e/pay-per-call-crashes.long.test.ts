import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type CrashingBuyer,
  type CrashStage,
  type End,
  openPayPerCallCrashStage,
} from './src/pay-per-call-crash-stage.ts'
import type { Step } from './src/pay-per-call-killer.ts'

let stage: CrashStage
let buyer: CrashingBuyer

beforeAll(async () => {
  stage = await openPayPerCallCrashStage()
})
afterAll(() => stage.close())

/** What must hold after every end: the buyer knows every payment it made, and none was made twice. */
async function expectPaidOncePerChallenge(end: End): Promise<readonly string[]> {
  const payments = await buyer.payments()
  const nonces = payments.map(({ nonce }) => nonce ?? '')
  expect(new Set(nonces).size).toBe(nonces.length)
  expect(payments.map(({ paymentId }) => paymentId)).toContain(end.paymentId)
  const served = buyer.served()
  expect(new Set(served).size).toBe(served.length)
  return nonces
}

/** The nonces of payments that are served and refunded, or neither. */
async function wronglyPaid({ payments, served }: CrashingBuyer): Promise<(string | null)[]> {
  const nonces = new Set<string | null>(served())
  const wrong = (await payments()).filter(({ nonce, isGivenBack }) => nonces.has(nonce) === isGivenBack)
  return wrong.map(({ nonce }) => nonce)
}

describe('a buyer that is killed and repeats its request', () => {
  test.each<Step>([
    'before begun',
    'before payment',
    'after payment',
    'before paid',
    'after paid',
    'before proof',
  ])('%s pays once, and is served', async step => {
    buyer = await stage.newBuyer()
    await buyer.crashAt(step)
    const end = await buyer.buyAgain()
    expect(end.kind).toBe('served')
    const [nonce, ...more] = await expectPaidOncePerChallenge(end)
    expect(more).toEqual([])
    expect(buyer.served()).toContain(nonce)
  })

  test.each<Step>(['after proof', 'before served'])(
    '%s, after the seller had served, pays once and gets an error that names the payment',
    async step => {
      buyer = await stage.newBuyer()
      await buyer.crashAt(step)
      const end = await buyer.buyAgain()
      expect(end).toMatchObject({ kind: 'refused', code: 'payment_not_accepted' })
      const [nonce, ...more] = await expectPaidOncePerChallenge(end)
      expect(more).toEqual([])
      expect(buyer.served()).toContain(nonce)
    },
  )

  test.each<Step>(['before verification', 'after verification'])(
    '%s, while the seller checks, is served or gets an error that names the payment, and pays only if it is served',
    async step => {
      buyer = await stage.newBuyer()
      await buyer.crashAt(step)
      await expectPaidOncePerChallenge(await buyer.buyAgain())
      // The first process left before it was served, so the seller may refund its payment, at any moment.
      await expect.poll(() => wronglyPaid(buyer), { timeout: 10_000 }).toEqual([])
    },
  )

  test('after it was served makes a new purchase', async () => {
    buyer = await stage.newBuyer()
    await buyer.crashAt('after served')
    const end = await buyer.buyAgain()
    expect(end.kind).toBe('served')
    const nonces = await expectPaidOncePerChallenge(end)
    expect(nonces).toHaveLength(2)
    expect(buyer.served()).toEqual(expect.arrayContaining([...nonces]))
  })

  test('while its payment is in flight pays once, even if it arrives after the next has paid', async () => {
    buyer = await stage.newBuyer()
    await buyer.crashPaying()
    const end = await buyer.buyAgain()
    expect(end.kind).toBe('served')
    expect(await expectPaidOncePerChallenge(end)).toHaveLength(1)
  })

  test.each<Step>(['before paying', 'after paying'])(
    '%s while the owner decides continues with the approved payment, and pays once',
    async step => {
      buyer = await stage.newBuyer({ require_human_approval_above: 1 })
      await buyer.crashAt(step)
      await buyer.approve()
      const end = await buyer.buyAgain()
      expect(end.kind).toBe('served')
      expect(await expectPaidOncePerChallenge(end)).toHaveLength(1)
    },
  )

  test('at one step after the other pays once in all', async () => {
    buyer = await stage.newBuyer()
    await buyer.crashAt('after begun')
    await buyer.crashAt('after payment')
    const end = await buyer.buyAgain()
    expect(end.kind).toBe('served')
    expect(await expectPaidOncePerChallenge(end)).toHaveLength(1)
  })
})
