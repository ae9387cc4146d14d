import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApi, type Reply, request } from './src/api.ts'
import { createDatabase, type ServiceDatabase } from './src/database.ts'
import { type ChangedFiles, changesIn, copyTree, type TreeCopy } from './src/example-tree.ts'
import { type Agent, openNetwork, type Platform } from './src/network.ts'
import { readPage } from './src/page-stage.ts'
import { type Service, startService } from './src/service.ts'
import { openReceiver, type Receiver } from './src/webhook-receiver.ts'

const page = readPage('docs/contributing.md')
const FILES = {
  'A control of spend policy': { written: 5, generated: 1 },
  'A route': { written: 3, generated: 2 },
  'An event': { written: 4, generated: 1 },
}

let tree: TreeCopy
let database: ServiceDatabase
let receiver: Receiver
let platform: Platform
let payer: Agent
let payee: Agent
let service: Service
const files = new Map<string, ChangedFiles>()

/** Platforms and agents are made by the service as it is; then the changed one runs on their database. */
beforeAll(async () => {
  tree = copyTree()
  for (const heading of Object.keys(FILES)) files.set(heading, tree.apply(changesIn(page, heading)))
  database = await createDatabase()
  receiver = await openReceiver()
  const original = await startService({ DATABASE_URL: database.url })
  const network = openNetwork(openApi(original.address))
  platform = await network.platform({ webhook_url: receiver.url })
  receiver.trust(platform.webhookSecret)
  const owner = await network.owner(platform)
  payer = await network.fundedAgent(owner)
  payee = await network.agent(owner)
  await original.stop()
  service = await startService({ DATABASE_URL: database.url }, tree.root)
}, 120_000)

afterAll(async () => {
  await service?.stop()
  await receiver?.close()
  await database?.drop()
  tree?.remove()
})

const call = (method: string, path: string, { headers }: Agent | Platform, body?: object): Promise<Reply> =>
  request(service.address, method, path, { headers, body })

const pay = (amount: number) => call('POST', `/v1/agents/${payer.id}/pay`, payer, { to: payee.id, amount })

test.each(Object.entries(FILES))('%s takes as many files as the page says', (heading, most) => {
  const { written = [], generated = [] } = files.get(heading) ?? {}
  expect({ written: written.length, generated: generated.length }, written.join('\n')).toEqual(most)
  const [, section = ''] = page.split(`\n## ${heading}\n`)
  expect(section.split('\n## ')[0]).toContain(`: ${most.written} files, and ${most.generated} generated (`)
})

test('the control of the page refuses a payment above it, and is shown with what is left of it', async () => {
  const policy = `/v1/agents/${payer.id}/policy`
  expect((await pay(10)).status).toBe(200)
  const set = await call('PATCH', `/v1/agents/${payer.id}`, platform, { spend_limit_24_hours: 100 })
  expect(set.body).toMatchObject({ policy: { spend_limit_24_hours: 100 } })
  expect((await pay(50)).status).toBe(200)
  expect((await pay(41)).body).toMatchObject({
    error: {
      code: 'spend_limit_exceeded',
      details: { rule: 'spend_limit_24_hours', limit: 100, used: 60, remaining: 40, max_amount_now: 40 },
    },
  })
  const shown = {
    rule: 'spend_limit_24_hours',
    layer: 'agent',
    window: 'last_24_hours',
    limit: 100,
    used: 60,
  }
  expect((await call('GET', policy, payer)).body).toMatchObject({
    limits: expect.arrayContaining([expect.objectContaining({ ...shown, remaining: 40 })]),
  })

  const raised = await call('PATCH', `/v1/agents/${payer.id}`, platform, { spend_limit_24_hours: 200 })
  expect(raised.body).toMatchObject({
    policy: { spend_limit_24_hours: 100 },
    pending_policy: { spend_limit_24_hours: { value: 200 } },
  })
  expect((await pay(40)).status).toBe(200)
})

test('a value of the new control that was changed in the database is refused', async () => {
  const { handle } = payer
  await database.query('update agents set spend_limit_24_hours_paise = null where handle = $1', [handle])
  await database.query(
    `update accounts c set agent_version = c.agent_version + 1 from agents a where a.handle = $1 and c.id = a.id`,
    [handle],
  )
  expect((await pay(1)).status).toBe(500)
})

test('the route of the page responds, refuses other credentials and is in the OpenAPI document', async () => {
  expect(await call('GET', '/v1/agents/counts', platform)).toMatchObject({
    status: 200,
    body: { active: 2, stopped: 0, deactivated: 0 },
  })
  expect((await call('GET', '/v1/agents/counts', payee)).status).toBe(401)
  const { body } = await request(service.address, 'GET', '/openapi.json')
  expect(body).toMatchObject({ paths: { '/v1/agents/counts': { get: { operationId: 'getAgentCounts' } } } })
})

test('the event of the page is delivered and listed', async () => {
  const rotated = await call('POST', `/v1/agents/${payee.id}/rotate-keys`, platform)
  const { key_last4 } = rotated.body as { readonly key_last4: string }
  const events = () => [...receiver.received.values()].map(({ body }) => JSON.parse(body) as object)
  await expect.poll(events, { timeout: 20_000 }).toContainEqual(
    expect.objectContaining({
      event: 'agent.key.rotated',
      data: { agent_id: payee.id, key_last4 },
    }),
  )
  expect(receiver.faults).toEqual([])
  const listed = await call('GET', '/v1/webhooks/deliveries?event=agent.key.rotated', platform)
  expect(listed.body).toMatchObject({ pagination: { total: 1 } })
})
