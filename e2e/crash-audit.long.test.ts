import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { openApi } from './src/api.ts'
import {
  checkpointFaults,
  foundByCheck,
  leafFaults,
  leavesThatWait,
  unprovenPayments,
} from './src/audit-faults.ts'
import { type CrashStage, openCrashStage } from './src/crash-stage.ts'
import type { TestDatabase } from './src/database.ts'
import { type Attempt, type Load, startLoad } from './src/load.ts'
import { type Service, startService } from './src/service.ts'

const CRASHES = Number(process.env['LONG_CRASHES'] ?? 25)
const CLIENTS = 8
const SHORTEST_LOAD_MS = 200
const LONGEST_LOAD_MS = 1_500
const KEPT_EVERY_MS = 100
const INTEGRATED_WITHIN_MS = 30_000
/** The log messages that report tampering. Nothing tampers in these tests. */
const ALARMS = [
  'audit log failed verification',
  'audit log check found a fault',
  'audit queue rows were refused',
  'audit entry failed verification',
]
/** A busy machine takes longer. */
const WITHIN_MS = 120_000

/** A power failure ends all of them at once. */
const VICTIMS = ['both nodes and their database', 'one of two nodes', 'both nodes'] as const
type Victim = (typeof VICTIMS)[number]

// Kills nodes while they pay and integrate, and proves the audit log each time.
let stage: CrashStage
let second: Service
let said = ''
const kept = new Set<string>()

const startSecond = () => startService({ DATABASE_URL: stage.service.databaseUrl() })

beforeAll(async () => {
  stage = await openCrashStage()
  second = await startSecond()
}, WITHIN_MS)
afterAll(async () => {
  await second.stop()
  const secrets = await stage.close()
  said += second.output() + stage.service.output()
  expect(secrets).toEqual([])
  expect(ALARMS.filter(alarm => said.includes(alarm))).toEqual([])
})

const headers = () => stage.agents[0]?.headers ?? {}

/** Keeps the checkpoints of a node until it returns none, or nobody pays there. */
async function keepCheckpoints(address: string, paying: AbortSignal): Promise<void> {
  const api = openApi(address)
  while (!paying.aborted) {
    const reply = await api.send(routes.getCheckpoint, { headers: headers() }).catch(() => null)
    if (reply?.status !== 200) return
    kept.add((reply.body as { checkpoint: string }).checkpoint)
    await delay(KEPT_EVERY_MS)
  }
}

/** Makes payments through both nodes until one is killed; returns the payers' results. */
async function payThrough(victim: Victim): Promise<Attempt[]> {
  const { service, agents } = stage
  const nodes = [service, second]
  const over = new AbortController()
  const loads = nodes.map(node =>
    startLoad(node.address, { clients: CLIENTS, agents, maxPaise: 200, onNoResponse: 'end' }),
  )
  const keeping = nodes.map(node => keepCheckpoints(node.address, over.signal))
  await whenPaid(loads)
  await delay(randomInt(SHORTEST_LOAD_MS, LONGEST_LOAD_MS))
  await kill(stage, second, victim)
  over.abort()
  await Promise.all([...loads.map(load => load.stop()), ...keeping])
  return loads.flatMap(load => load.attempts)
}

test.each(
  Array.from({ length: CRASHES }, (_, index) => [index + 1, VICTIMS[index % VICTIMS.length]] as const),
)(
  'after crash %i, of %s, every entry is one leaf, and the earlier log is a prefix of the log',
  async (_count, victim = 'both nodes') => {
    const { service, api } = stage
    const attempts = await payThrough(victim)
    if (victim !== 'one of two nodes') await service.start()
    said += second.output()
    second = await startSecond()
    await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })

    const window = await windowOnceIntegrated(service)
    expect(attempts.some(isPaid)).toBe(true)
    expect(await unprovenPayments(api, attempts)).toEqual([])
    expect(await leafFaults(window)).toEqual([])
    expect(await checkpointFaults(api, headers(), kept)).toEqual([])
    expect(await foundByCheck(api, window)).toEqual([])
    await window.close()
  },
  WITHIN_MS,
)

async function kill({ service }: CrashStage, second: Service, victim: Victim): Promise<void> {
  const database = service.postmaster()
  const victims = victim === 'one of two nodes' ? [second] : [service, second]
  await Promise.all(victims.map(node => node.kill()))
  if (victim === 'both nodes and their database') process.kill(database, 'SIGKILL')
}

const isPaid = ({ outcome }: Attempt) => outcome.kind === 'paid'

/** A node that has just started takes its time for the first payment. */
async function whenPaid(loads: readonly Load[]): Promise<void> {
  await vi.waitUntil(() => loads.some(({ attempts }) => attempts.some(isPaid)), { timeout: WITHIN_MS })
}

/** One node at a time integrates leaves into the tree, and it may be the other one. */
async function windowOnceIntegrated(service: CrashStage['service']): Promise<TestDatabase> {
  const window = await service.window()
  await expect.poll(() => leavesThatWait(window), { timeout: INTEGRATED_WITHIN_MS }).toBe(0)
  return window
}
