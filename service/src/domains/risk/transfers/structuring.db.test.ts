import { expect, describe as group } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { test, world } from '../testing/risk-world.ts'

let payer: Uuid
let payee: Uuid

async function twoAgents(columns = {}): Promise<void> {
  payer = await world.agent(columns)
  payee = await world.agent()
}

const opened = () => world.opened(payer, 'structuring')

group('structuring', () => {
  const threshold = { require_human_approval_above_paise: 300_000n }

  test('a structuring alert is opened by five payments just under one threshold, and names the threshold', async () => {
    await twoAgents(threshold)
    const amounts = [270_000n, 280_000n, 299_999n, 300_000n, 290_000n]
    for (const amount of amounts) {
      await world.pay(payer, payee, amount)
      world.clock.advance(HOUR_MS)
    }
    expect(await opened()).toBe(1)
    const [alert] = await world.alerts(payer, 'structuring')
    expect(alert).toMatchObject({ severity: 'high', score: 40 })
    expect(alert?.evidence.summary).toBe(
      '5 payments of 2700.00 to 3000.00 INR within 24 hours, at or just under require_human_approval_above of the agent policy.',
    )
    expect(alert?.evidence.figures).toEqual({
      payments: 5,
      threshold: 3000,
      least_amount: 2700,
      total: 14399.99,
    })
    expect(alert?.evidence.payment_ids.length).toBe(5)
  })

  test.each([
    ['one payment fewer', [270_000n, 280_000n, 299_999n, 300_000n]],
    ['one paisa below the band', [269_999n, 280_000n, 299_999n, 300_000n, 290_000n]],
    ['one paisa above the threshold', [300_001n, 280_000n, 299_999n, 300_000n, 290_000n]],
  ])('a structuring alert is not opened with %s', async (_name, amounts) => {
    await twoAgents(threshold)
    for (const amount of amounts) await world.pay(payer, payee, amount)
    expect(await opened()).toBe(0)
  })

  test('structuring does not add up payments under different thresholds', async () => {
    await twoAgents({ ...threshold, spend_limit_per_tx_paise: 400_000n })
    for (const amount of [270_000n, 280_000n, 360_000n, 370_000n, 380_000n])
      await world.pay(payer, payee, amount)
    expect(await opened()).toBe(0)
  })

  test('structuring does not count a payment one millisecond outside the day', async () => {
    for (const [lastMs, alerts] of [
      [DAY_MS, 0],
      [DAY_MS - 1, 1],
    ] as const) {
      await twoAgents(threshold)
      await world.pay(payer, payee, 290_000n)
      world.clock.advance(lastMs)
      await world.payOften(payer, payee, 290_000n, 4, 0)
      expect(await opened()).toBe(alerts)
    }
  })

  test.each([
    ['the tier’s escrow threshold', {}, 50_000n],
    ['the tier’s limit of a payment', {}, 100_000n],
    ['the tier’s approval threshold', {}, 500_000n],
    ['the agent’s escrow threshold', { require_escrow_above_paise: 777_700n }, 777_700n],
    ['the agent’s limit of a payment', { spend_limit_per_tx_paise: 888_800n }, 888_800n],
  ])('structuring is found just under %s', async (_name, columns, amount) => {
    await twoAgents(columns)
    await world.payOften(payer, payee, amount, 5)
    expect(await opened()).toBe(1)
  })

  test('structuring is found just under the thresholds of the owner', async () => {
    for (const column of ['spend_limit_per_tx', 'require_escrow_above', 'require_human_approval_above']) {
      await twoAgents()
      await world.database.query(
        `insert into owner_policies (owner_id, ${column}_paise) values ((select owner_id from agents where id = $1), 666600)`,
        [payer],
      )
      await world.payOften(payer, payee, 650_000n, 5)
      expect(await opened()).toBe(1)
    }
  })
})
