import { routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Api, type Headers, openApi } from './src/api.ts'
import type { Agent, Network } from './src/network.ts'
import { type PushService, startPushService } from './src/push-service.ts'
import { type Service, startService } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let push: PushService
let second: Service
let session: Headers
let payer: Agent
let payee: Agent

beforeAll(async () => {
  ;[stage, push] = await Promise.all([openStage(), startPushService()])
  ;({ api, network } = stage)
  second = await startService({ DATABASE_URL: stage.database.url })
})
afterAll(async () => {
  expect(push.faults).toEqual([])
  await push.close()
  await second.stop()
  await stage.close()
})

beforeEach(async () => {
  const owner = await network.owner(await network.platform())
  session = await network.login(owner)
  payer = await network.fundedAgent(owner, { require_human_approval_above: 1 })
  payee = await network.agent(owner)
  push.publicKey = (await api.ok(routes.getNotificationSettings, { headers: session })).push_public_key
  const kinds = { approval_requested: { push: true } }
  await api.ok(routes.updateNotificationSettings, { headers: session, body: { kinds } })
})

async function subscribe() {
  const browser = push.browser()
  await api.ok(routes.createPushSubscription, { headers: session, body: browser.subscription })
  return browser
}

/** Does what is due after this time. */
const pass = (seconds = 0, at = api) => at.ok(routes.advanceClock, { body: { advance_seconds: seconds } })

const request = (amount = 400) => network.pay(payer, payee, amount)

test('nodes share one key, and together send one notification for each event', async () => {
  const other = openApi(second.address)
  const { push_public_key: key } = await other.ok(routes.getNotificationSettings, {
    headers: session,
  })
  expect(key).toBe(push.publicKey)
  const browser = await subscribe()
  for (let amount = 2; amount < 14; amount++) {
    await request(amount)
    await Promise.all([pass(), pass(0, other)])
  }
  await pass(3_600)
  expect(browser.attempts()).toBe(browser.shown.length)
  const said = browser.shown.map(({ body }) => body)
  expect(new Set(said).size).toBe(said.length)
  expect(said).toHaveLength(12)
})

test('nodes that are killed between the claim and the response send no notification twice', async () => {
  const browser = await subscribe()
  push.reply('hang')
  await request()
  await expect.poll(() => browser.attempts(), { timeout: 10_000 }).toBe(1)
  await Promise.all([stage.service.kill(), second.kill()])
  await Promise.all([stage.service.start(), second.start()])
  await pass(7_200)
  expect(browser.attempts()).toBe(1)
  await pass(86_400)
  await expect.poll(() => stage.service.output() + second.output()).toContain('notifications may be lost')
})
