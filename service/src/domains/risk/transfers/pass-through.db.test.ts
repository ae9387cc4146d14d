import { expect, describe as group } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { MINUTE_MS } from '../scope.ts'
import { test, world } from '../testing/risk-world.ts'

let payer: Uuid
let payee: Uuid

async function twoAgents(): Promise<void> {
  payer = await world.agent()
  payee = await world.agent()
}

const opened = () => world.opened(payer, 'pass_through')

group('pass_through', () => {
  async function passOn(inPaise: bigint, outPaise: bigint, afterMs: number): Promise<void> {
    await world.pay(payee, payer, inPaise)
    world.clock.advance(afterMs)
    await world.pay(payer, payee, outPaise)
    world.clock.advance(HOUR_MS)
  }

  test('a pass_through alert is opened if three times money came in and nine tenths of it went out again', async () => {
    await twoAgents()
    for (let times = 0; times < 3; times++) await passOn(100_000n, 90_000n, 10 * MINUTE_MS)
    expect(await opened()).toBe(1)
    const [alert] = await world.alerts(payer, 'pass_through')
    expect(alert).toMatchObject({ severity: 'high', score: 40 })
    expect(alert?.evidence.summary).toBe(
      '3 times within 24 hours money came in and at least 90 % of it went out within 10 minutes, 3000.00 INR in all.',
    )
    expect(alert?.evidence.figures).toEqual({ times: 3, total: 3000 })
    expect(alert?.evidence.payment_ids.length).toBe(3)
  })

  test.each([
    ['one paisa less came in', 99_999n, 99_999n, 0],
    ['one paisa less went out', 100_000n, 89_999n, 0],
    ['it went out one millisecond later', 100_000n, 90_000n, 10 * MINUTE_MS + 1],
  ])(
    'a pass_through alert is not opened if at one of three times %s',
    async (_name, inPaise, outPaise, afterMs) => {
      await twoAgents()
      await passOn(100_000n, 90_000n, 0)
      await passOn(100_000n, 90_000n, 0)
      await passOn(inPaise, outPaise, afterMs)
      expect(await opened()).toBe(0)
    },
  )

  test('a pass_through alert is not opened if money passed through only twice', async () => {
    await twoAgents()
    await passOn(100_000n, 100_000n, 0)
    await passOn(100_000n, 100_000n, 0)
    expect(await opened()).toBe(0)
  })

  test('pass_through counts each outgoing payment once, and money that went out in parts', async () => {
    await twoAgents()
    for (let times = 0; times < 3; times++) await world.pay(payee, payer, 100_000n)
    await world.pay(payer, payee, 100_000n)
    expect(await opened()).toBe(0)
    await world.payOften(payer, payee, 18_000n, 10)
    expect(await opened()).toBe(1)
  })

  test('pass_through does not count money that came in one millisecond outside the day', async () => {
    for (const [restMs, alerts] of [
      [DAY_MS, 0],
      [DAY_MS - 1, 1],
    ] as const) {
      await twoAgents()
      await world.pay(payee, payer, 100_000n)
      await world.pay(payer, payee, 100_000n)
      world.clock.advance(restMs - MINUTE_MS)
      await world.pay(payee, payer, 100_000n)
      await world.pay(payer, payee, 100_000n)
      world.clock.advance(MINUTE_MS)
      await world.pay(payee, payer, 100_000n)
      await world.pay(payer, payee, 100_000n)
      expect(await opened()).toBe(alerts)
    }
  })
})
