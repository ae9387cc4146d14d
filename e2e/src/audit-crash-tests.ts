import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApi } from './api.ts'
import {
  checkpointFaults,
  foundByCheck,
  leafFaults,
  leavesThatWait,
  unprovenPayments,
} from './audit-aftermath.ts'
import { type CrashStage, openCrashStage } from './crash-stage.ts'
import type { Window } from './database.ts'
import { type Attempt, startLoad } from './load.ts'
import { type Service, startService } from './service.ts'

export interface AuditCrashOptions {
  readonly crashes: number
  readonly longestLoadMs: number
}

const CLIENTS = 8
const SHORTEST_LOAD_MS = 200
const KEPT_EVERY_MS = 100
const INTEGRATED_WITHIN_MS = 30_000
/** The log messages that report tampering. Nothing tampers in these tests. */
const ALARMS = [
  'audit log failed verification',
  'audit log check found a fault',
  'audit queue rows were refused',
  'audit entry failed verification',
]
/** A machine with much else to do takes its time. */
const WITHIN_MS = 120_000

/** A machine that loses its power takes all at once. */
const VICTIMS = ['one of two nodes', 'both nodes and their database', 'both nodes'] as const

/** Kills nodes while they pay and integrate, as often as is wanted, and proves the audit log after each time. */
export function auditCrashTests({ crashes, longestLoadMs }: AuditCrashOptions): void {
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

  /** Keeps the checkpoints that a node shows until it shows none any more, or nobody pays there. */
  async function keepCheckpoints(address: string, paying: AbortSignal): Promise<void> {
    const api = openApi(address)
    while (!paying.aborted) {
      const reply = await api.send(routes.getCheckpoint, { headers: headers() }).catch(() => null)
      if (reply?.status !== 200) return
      kept.add((reply.body as { checkpoint: string }).checkpoint)
      await delay(KEPT_EVERY_MS)
    }
  }

  /** Has both nodes paid through until some of it is killed; answers what the payers heard. */
  async function payThrough(victim: (typeof VICTIMS)[number]): Promise<Attempt[]> {
    const { service, agents } = stage
    const nodes = [service, second]
    const over = new AbortController()
    const loads = nodes.map(node =>
      startLoad(node.address, { clients: CLIENTS, agents, maxPaise: 200, whenSilent: 'end' }),
    )
    const keeping = nodes.map(node => keepCheckpoints(node.address, over.signal))
    await delay(randomInt(SHORTEST_LOAD_MS, longestLoadMs))
    await kill(victim)
    over.abort()
    await Promise.all([...loads.map(load => load.stop()), ...keeping])
    return loads.flatMap(load => load.attempts)
  }

  async function kill(victim: (typeof VICTIMS)[number]): Promise<void> {
    const { service } = stage
    const database = service.postmaster()
    const victims = victim === 'one of two nodes' ? [second] : [service, second]
    await Promise.all(victims.map(node => node.kill()))
    if (victim === 'both nodes and their database') process.kill(database, 'SIGKILL')
  }

  test.each(
    Array.from({ length: crashes }, (_, index) => [index + 1, VICTIMS[index % VICTIMS.length]] as const),
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
      expect(attempts.some(({ outcome }) => outcome.kind === 'paid')).toBe(true)
      expect(await unprovenPayments(api, attempts)).toEqual([])
      expect(await leafFaults(window)).toEqual([])
      expect(await checkpointFaults(api, headers(), kept)).toEqual([])
      expect(await foundByCheck(api, window)).toEqual([])
      await window.close()
    },
    WITHIN_MS,
  )
}

/** One node at a time puts leaves into the tree; it may be the one that was not asked to. */
async function windowOnceIntegrated(service: CrashStage['service']): Promise<Window> {
  const window = await service.window()
  await expect.poll(() => leavesThatWait(window), { timeout: INTEGRATED_WITHIN_MS }).toBe(0)
  return window
}
