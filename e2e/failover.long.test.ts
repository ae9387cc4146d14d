import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Api, openApi } from './src/api.ts'
import { openTestDatabase } from './src/database.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { type Load, startLoad } from './src/load.ts'
import { type Agent, openNetwork } from './src/network.ts'
import { paymentFaults } from './src/payment-faults.ts'
import { type PostgresCluster, startPostgresCluster } from './src/postgres-cluster.ts'
import { type Service, startService } from './src/service.ts'

const PROMOTIONS = Number(process.env['PROMOTIONS'] ?? 3)
const AGENTS = 6
const CLIENTS = 12
/** After a promotion, payments are made again within this time. */
const BACK_WITHIN_MS = 15_000
/** What a request may wait while no commit is confirmed. */
const ANSWERED_WITHIN_MS = 10_000

const LEASE_S = 31

const BREAKING = ['killed with everything', 'cut off the network', 'paused, and wakes up later'] as const

let cluster: PostgresCluster
let nodes: readonly Service[]
let api: Api
let agents: readonly Agent[]
const figures: number[] = []

beforeAll(async () => {
  cluster = await startPostgresCluster()
  const first = await startService({ DATABASE_URL: cluster.url })
  nodes = [first, await startService({ DATABASE_URL: cluster.url })]
  api = openApi(first.address)
  const network = openNetwork(api)
  const owner = await network.owner(await network.platform())
  await network.verify(owner)
  const made: Agent[] = []
  for (let count = 0; count < AGENTS; count++) made.push(await network.agent(owner))
  for (const agent of made) await network.fund(agent, 5_000_000)
  agents = made
}, 180_000)
afterAll(async () => {
  await Promise.all(nodes.map(node => node.stop()))
  await cluster.close()
  const longest = Math.max(...figures)
  console.log(`${figures.length} promotions; payments were made again after at most ${longest} ms`)
})

const loadOn = (node: Service): Load =>
  startLoad(node.address, { clients: CLIENTS / 2, agents, maxPaise: 200, onNoResponse: 'go on' })

const paidIn = (loads: readonly Load[]) =>
  loads.map(({ attempts }) => attempts.filter(({ outcome }) => outcome.kind === 'paid').length)

/** Waits until each of the loads has made this many more payments. */
async function untilPaid(loads: readonly Load[], more: number, withinMs: number): Promise<number> {
  const started = Date.now()
  const before = paidIn(loads)
  while (paidIn(loads).some((paid, at) => paid < (before[at] ?? 0) + more)) {
    if (Date.now() - started > withinMs) throw new Error(`no payments within ${withinMs} ms`)
    await delay(20)
  }
  return Date.now() - started
}

async function expectNothingLost(loads: readonly Load[]): Promise<void> {
  // A request whose outcome is not known keeps its Idempotency-Key for a while.
  await api.ok(routes.advanceClock, { body: { advance_seconds: LEASE_S } })
  const window = await openTestDatabase(cluster.primaryUrl())
  expect(await ledgerFaults(window.query)).toEqual([])
  const attempts = loads.flatMap(load => load.attempts)
  expect(await paymentFaults(api, window, attempts)).toEqual([])
  await window.close()
}

test.each(Array.from({ length: PROMOTIONS }, (_, at) => [at + 1, BREAKING[at % BREAKING.length]] as const))(
  'after promotion %i, of a standby of a primary that was %s, nothing acknowledged is lost or doubled',
  async (_count, how) => {
    const loads = nodes.map(loadOn)
    await untilPaid(loads, 20, BACK_WITHIN_MS)
    const former = cluster.primary()
    if (how === 'killed with everything') await cluster.kill(former)
    else if (how === 'cut off the network') cluster.cut(former)
    else cluster.pause(former)
    await delay(500)
    await cluster.promote()
    figures.push(await untilPaid(loads, 20, BACK_WITHIN_MS))
    if (how === 'paused, and wakes up later') {
      cluster.resume(former)
      await untilPaid(loads, 50, BACK_WITHIN_MS)
    }
    await Promise.all(loads.map(load => load.stop()))
    await cluster.rejoin(former)
    await expectNothingLost(loads)
  },
)

test('without its standbys the service responds within ten seconds, and a repeated payment finds its outcome', async () => {
  const [payer, payee] = agents as [Agent, Agent]
  const standbys = (['a', 'b', 'c'] as const).filter(name => name !== cluster.primary())
  for (const name of standbys) cluster.pause(name)
  const order = { to: payee.id, amount: 1, reference: 'without-quorum', idempotency_key: 'without-quorum' }
  const call = { params: { agent_id: payer.id }, headers: payer.headers }
  const started = Date.now()
  const [reply] = await Promise.all([
    api.send(routes.pay, { ...call, body: order }),
    api.send(routes.pay, {
      params: { agent_id: payee.id },
      headers: payee.headers,
      body: { to: payer.id, amount: 1 },
    }),
  ])
  expect(Date.now() - started).toBeLessThan(ANSWERED_WITHIN_MS)
  expect(reply.status).toBe(503)
  for (const name of standbys) cluster.resume(name)
  await expect
    .poll(async () => (await api.send(routes.pay, { ...call, body: order })).status, { timeout: 60_000 })
    .toBe(409)
  const { payments } = await api.ok(routes.listPayments, {
    ...call,
    query: { idempotency_key: 'without-quorum' },
  })
  expect(payments).toHaveLength(1)
})
