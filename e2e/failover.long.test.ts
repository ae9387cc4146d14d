import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Agent } from './src/network.ts'
import { type PostgresCluster, startPostgresCluster } from './src/postgres-cluster.ts'
import { openStandbyStage, type StandbyStage } from './src/standby-stage.ts'

const PROMOTIONS = Number(process.env['PROMOTIONS'] ?? 3)
/** The drill has the machine for itself; otherwise other tests run beside it. */
const IS_DRILL = process.env['PROMOTIONS'] !== undefined
/** After a promotion each node makes payments again within this time. */
const BACK_WITHIN_MS = IS_DRILL ? 15_000 : 60_000
/** What a busy machine takes for some more of them. */
const MORE_WITHIN_MS = 60_000
/** What a request may wait while no commit is confirmed. */
const RESPONDED_WITHIN_MS = IS_DRILL ? 10_000 : 30_000

const BREAKING = ['killed with everything', 'cut off the network', 'paused, and wakes up later'] as const
type Breaking = (typeof BREAKING)[number]

let cluster: PostgresCluster
let stage: StandbyStage
/** How long after each promotion payments were made again, in ms. */
const figures: { readonly how: Breaking; readonly backMs: number }[] = []

beforeAll(async () => {
  cluster = await startPostgresCluster()
  stage = await openStandbyStage(cluster.url)
}, 300_000)
afterAll(async () => {
  try {
    await stage.close()
  } finally {
    await cluster.close()
  }
  const times = Object.entries(Object.groupBy(figures, ({ how }) => how)).map(
    ([how, all]) =>
      `${all.length} of a primary that was ${how}: at most ${Math.max(...all.map(one => one.backMs))} ms`,
  )
  console.log(`${figures.length} promotions until payments were made again: ${times.join('; ')}`)
  console.log('acknowledged and found afterwards:', stage.counts())
})

test.each(
  Array.from(
    { length: PROMOTIONS },
    (_, at) => [at + 1, BREAKING[at % BREAKING.length] as Breaking] as const,
  ),
)(
  'after promotion %i, of a standby of a primary that was %s, nothing acknowledged is lost or doubled',
  async (_count, how) => {
    const work = await stage.startWork()
    await work.untilPaid(20, MORE_WITHIN_MS)
    const former = cluster.primary()
    if (how === 'killed with everything') await cluster.kill(former)
    else if (how === 'cut off the network') cluster.cut(former)
    else cluster.pause(former)
    await delay(500)
    await cluster.promote()
    figures.push({ how, backMs: await work.untilPaid(1, BACK_WITHIN_MS) })
    await work.untilPaid(20, MORE_WITHIN_MS)
    if (how === 'paused, and wakes up later') {
      cluster.resume(former)
      await work.untilPaid(50, MORE_WITHIN_MS)
    }
    await work.stop()
    await cluster.rejoin(former)
    expect(await stage.workFaults(work, cluster.primaryUrl())).toEqual([])
  },
)

test('without its standbys the service responds within ten seconds, and a repeated payment finds its outcome', async () => {
  const { api } = stage
  const [payer, payee] = stage.agents as [Agent, Agent]
  const standbys = (['a', 'b', 'c'] as const).filter(name => name !== cluster.primary())
  for (const name of standbys) cluster.pause(name)
  const order = { to: payee.id, amount: 1, reference: 'without-quorum', idempotency_key: 'without-quorum' }
  const call = { params: { agent_id: payer.id }, headers: payer.headers }
  const claimed = {
    params: { agent_id: payee.id },
    headers: { ...payee.headers, 'idempotency-key': 'header-without-quorum' },
    body: { to: payer.id, amount: 1 },
  }
  const started = Date.now()
  const [reply, ofClaimed] = await Promise.all([
    api.send(routes.pay, { ...call, body: order }),
    api.send(routes.pay, claimed),
    api.send(routes.pay, { ...claimed, headers: payee.headers }),
  ])
  const tookMs = Date.now() - started
  // Before anything is expected: without them the tests after this one have no database.
  for (const name of standbys) cluster.resume(name)
  expect(tookMs).toBeLessThan(RESPONDED_WITHIN_MS)
  expect([reply.status, ofClaimed.status]).toEqual([503, 503])
  await expect
    .poll(async () => (await api.send(routes.pay, { ...call, body: order })).status, { timeout: 60_000 })
    .toBe(409)
  await expect.poll(async () => (await api.send(routes.pay, claimed)).status, { timeout: 60_000 }).toBe(200)
  const { payments } = await api.ok(routes.listPayments, {
    ...call,
    query: { idempotency_key: 'without-quorum' },
  })
  expect(payments).toHaveLength(1)
})

test('all of it is there after all promotions, webhooks arrived, and the audit log continues each checkpoint', async () => {
  expect(await stage.allFaults(cluster.primaryUrl())).toEqual([])
})
