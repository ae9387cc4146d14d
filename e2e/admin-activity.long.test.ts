import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Network } from './src/network.ts'
import { openStage, type Stage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let admin: Headers

beforeAll(async () => {
  stage = await openStage()
  ;({ api, network } = stage)
  admin = await network.admin()
})
afterAll(() => stage.close())

test('the activity shows payments of today to the paisa, and every refusal by its reason', async () => {
  const owner = await network.owner(await network.platform())
  const [payer, payee] = [await network.fundedAgent(owner), await network.agent(owner)]
  await network.pay(payer, payee, 100.25)
  await network.pay(payer, payee, 50)
  await network.refusedPayment(payer, payee, [403, 'escrow_required'], { amount: 501 })
  await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 1_001 })
  await network.refusedPayment(payer, payee, [403, 'spend_limit_exceeded'], { amount: 1_002 })
  await api.ok(routes.holdEscrow, {
    params: { agent_id: payer.id },
    headers: payer.owner.platform.headers,
    body: { amount: 10, reference: 'order-1' },
  })
  // The counts are saved by a job, which a move of the clock waits for.
  await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
  const { days, hours } = await api.ok(routes.getActivity, { headers: admin })
  expect(days.at(-1)).toMatchObject({ count: 2, volume: 150.25, fees: 2 })
  const [hour] = hours.filter(({ accepted }) => accepted > 0)
  expect(hour).toMatchObject({
    accepted: 3,
    refused: [
      { code: 'spend_limit_exceeded', count: 2 },
      { code: 'escrow_required', count: 1 },
    ],
  })
  expect(hour?.p50_ms).toBeGreaterThan(0)
  expect(hour?.p99_ms).toBeGreaterThanOrEqual(hour?.p50_ms ?? Infinity)
})

test('the checks that have run say when they ended and found nothing', async () => {
  await api.ok(routes.advanceClock, { body: { advance_seconds: 60 * 60 } })
  admin = await network.admin()
  await expect
    .poll(async () => {
      const { checks } = await api.ok(routes.listChecks, { headers: admin })
      return checks.map(({ check, finished_at, open_findings }) => [
        check,
        check === 'reconciliation' || finished_at !== null,
        open_findings,
      ])
    })
    .toEqual([
      ['ledger_check', true, 0],
      ['log_check', true, 0],
      ['reconciliation', true, 0],
    ])
})
