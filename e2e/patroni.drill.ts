import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type HostName, type PatroniCluster, startPatroniCluster } from './src/patroni-cluster.ts'
import { openStandbyStage, type StandbyStage } from './src/standby-stage.ts'

/** How often each thing is done. */
const TURNS = Number(process.env['PATRONI_TURNS'] ?? 1)
const READY_WITHIN_MS = 60_000
const BACK_WITHIN_MS = 90_000
/** Longer than a primary keeps its lock. */
const WITHOUT_ETCD_MS = 30_000

const BREAKING = {
  async 'PostgreSQL and Patroni of the primary are killed'(leader: HostName) {
    await cluster.kill(leader, 'all')
    return () => cluster.start(leader)
  },
  async 'Patroni of the primary is killed, and its PostgreSQL lives on'(leader: HostName) {
    await cluster.kill(leader, 'patroni')
    return () => cluster.start(leader)
  },
  async 'PostgreSQL of the primary is killed'(leader: HostName) {
    await cluster.kill(leader, 'postgres')
    return () => undefined
  },
  async 'the host of the primary is paused, and wakes up later'(leader: HostName) {
    cluster.pause(leader)
    return () => cluster.resume(leader)
  },
  async 'the primary is changed by patronictl switchover'() {
    await cluster.switchover()
    return () => undefined
  },
} as const
type Breaking = keyof typeof BREAKING

let cluster: PatroniCluster
let stage: StandbyStage
const figures: string[] = []

describe('a cluster of Patroni', () => {
  beforeAll(async () => {
    cluster = await startPatroniCluster()
    stage = await openStandbyStage(cluster.url)
  }, 300_000)
  afterAll(async () => {
    await stage?.close()
    await cluster?.close()
    console.log(figures.join('\n'))
    if (stage !== undefined) console.log('acknowledged and found afterwards:', stage.counts())
  })

  const turns = Array.from({ length: TURNS }, (_, at) => at + 1)
  test.each(turns.flatMap(turn => (Object.keys(BREAKING) as Breaking[]).map(how => [turn, how] as const)))(
    'turn %i: %s, and nothing acknowledged is lost or doubled',
    async (_turn, how) => {
      const leader = await cluster.untilHealthy()
      const work = await stage.startWork()
      await work.untilPaid(20, READY_WITHIN_MS)
      const started = Date.now()
      const mend = await BREAKING[how](leader)
      if (how !== 'the primary is changed by patronictl switchover') await untilReplaced(leader)
      const replaced = Date.now()
      await work.untilPaid(1, BACK_WITHIN_MS)
      const seconds = (until: number) => ((until - started) / 1_000).toFixed(1)
      figures.push(`${how}: replaced after ${seconds(replaced)} s, payments after ${seconds(Date.now())} s`)
      // What the next primary confirms must outlive the return of the former one.
      await work.untilPaid(20, BACK_WITHIN_MS)
      mend()
      await work.untilPaid(50, BACK_WITHIN_MS)
      await cluster.untilHealthy()
      await work.stop()
      expect(await cluster.leader()).not.toBe(leader)
      expect(await stage.workFaults(work, await cluster.primaryUrl())).toEqual([])
    },
  )

  test('the standby that confirms commits is killed, and payments go on with the other one', async () => {
    const leader = await cluster.untilHealthy()
    const standby = await cluster.confirming()
    const work = await stage.startWork()
    await work.untilPaid(20, READY_WITHIN_MS)
    await cluster.kill(standby, 'all')
    const backMs = await work.untilPaid(1, BACK_WITHIN_MS)
    await work.untilPaid(20, BACK_WITHIN_MS)
    figures.push(
      `the standby that confirms commits is killed: payments after ${(backMs / 1_000).toFixed(1)} s`,
    )
    cluster.start(standby)
    await cluster.untilHealthy()
    await work.stop()
    expect(await cluster.leader()).toBe(leader)
    expect(await stage.workFaults(work, await cluster.primaryUrl())).toEqual([])
  })

  test('while etcd is away payments go on', async () => {
    const leader = await cluster.untilHealthy()
    const work = await stage.startWork()
    await cluster.killEtcd()
    const until = Date.now() + WITHOUT_ETCD_MS
    while (Date.now() < until) await work.untilPaid(1, READY_WITHIN_MS)
    cluster.startEtcd()
    await cluster.untilHealthy()
    await work.stop()
    figures.push(`etcd was away for ${WITHOUT_ETCD_MS / 1_000} s: the same primary, payments went on`)
    expect(await cluster.leader()).toBe(leader)
    expect(await stage.workFaults(work, await cluster.primaryUrl())).toEqual([])
  })

  test('all of it is there at last, webhooks arrived, and the audit log continues each checkpoint', async () => {
    expect(await stage.allFaults(await cluster.primaryUrl())).toEqual([])
  })
})

async function untilReplaced(leader: HostName): Promise<void> {
  const deadline = Date.now() + BACK_WITHIN_MS
  for (;;) {
    const now = await cluster.leader().catch(() => leader)
    if (now !== leader) return
    if (Date.now() > deadline) throw new Error(`${leader} was not replaced within ${BACK_WITHIN_MS} ms`)
    await delay(100)
  }
}
