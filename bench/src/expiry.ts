import pMap from 'p-map'
import type { Database } from '../../service/src/db/database.ts'
import type { Authorization } from '../../service/src/domains/payments/authorizations/authorization.ts'
import { authorizationJobs } from '../../service/src/domains/payments/authorizations/jobs.ts'
import type { Uuid } from '../../service/src/kernel/ids.ts'
import { createJobs } from '../../service/src/operations/jobs.ts'
import {
  authorizationIntent,
  authorizedOn,
  beginClosingOn,
  captureOn,
} from '../../service/src/testing/authorizing.ts'
import { order, type TestNode } from '../../service/src/testing/builders.ts'
import type { ManualClock } from '../../service/src/testing/manual-clock.ts'
import { percentile } from './figures.ts'

/** How long after its moment the money of an authorization was back, in milliseconds. */
export interface Returns {
  readonly what: string
  readonly p50Ms: number
  readonly p100Ms: number
}

/** A node whose clock the measurement moves, and agents that pay each other. */
export interface Setting {
  readonly node: TestNode
  readonly database: Database
  readonly clock: ManualClock
  readonly agents: readonly Uuid[]
}

export const AUTHORIZATIONS = 2_000
const PAISE = 10_000n
const CAPTURED = 2_500n
const SECONDS = 60
const GRACE_MS = 10 * 60_000
const AT_ONCE = 64
const LOOK_EVERY_MS = 20
const GIVE_UP_MS = 60_000

/**
 * Authorizations that all end at one moment, of half of which something was captured: expired ones, and ones that their
 * payers closed. The service's own jobs return the money, while nothing else happens and while agents pay.
 */
export async function measureReturns(setting: Setting, say: (line: string) => void): Promise<Returns[]> {
  const jobs = createJobs({ ...setting.node, clock: setting.clock, jobs: authorizationJobs(setting.node) })
  jobs.start()
  try {
    const found: Returns[] = []
    for (const isPaying of [false, true]) {
      const beside = isPaying ? `beside payments, ${AT_ONCE} at once` : 'alone'
      const paying = isPaying ? keepPaying(setting) : null
      for (const how of ['expired', 'closed'] as const) {
        const what = `${how === 'expired' ? 'they expired' : 'their payers closed them'}, ${beside}`
        say(`${AUTHORIZATIONS} authorizations end: ${what}`)
        const ms = await endTogether(setting, how)
        found.push({ what, p50Ms: percentile(ms, 0.5), p100Ms: percentile(ms, 1) })
      }
      await paying?.stop()
    }
    return found
  } finally {
    await jobs.stop()
  }
}

async function endTogether(setting: Setting, how: 'expired' | 'closed'): Promise<readonly number[]> {
  const { node, database, clock } = setting
  const made = await openMany(setting)
  if (how === 'closed') {
    await pMap(made, each => beginClosingOn(node, each), { concurrency: AT_ONCE })
  } else {
    clock.advance(SECONDS * 1_000)
    await timesUntil(database, made, "status <> 'open'")
  }
  clock.advance(GRACE_MS)
  return timesUntil(database, made, "status in ('closed', 'expired')")
}

async function openMany({ node, agents }: Setting): Promise<Authorization[]> {
  const numbers = Array.from({ length: AUTHORIZATIONS }, (_, number) => number)
  return pMap(
    numbers,
    async number => {
      const intent = authorizationIntent(at(agents, number), at(agents, number + 1), PAISE, {
        expiresInSeconds: SECONDS,
      })
      const made = await authorizedOn(node, intent)
      if (number % 2 === 0) await captureOn(node, made, 'total', CAPTURED)
      return made
    },
    { concurrency: AT_ONCE },
  )
}

/** After how many milliseconds from now another connection reads this of each. */
async function timesUntil(
  database: Database,
  made: readonly Authorization[],
  condition: string,
): Promise<readonly number[]> {
  const startedMs = performance.now()
  const times: number[] = []
  const ids = made.map(({ id }) => id)
  while (times.length < made.length) {
    const [row] = await database.query<{ count: number }>(
      `select count(*)::int as count from authorizations where id = any($1::uuid[]) and ${condition}`,
      [ids],
    )
    const passedMs = performance.now() - startedMs
    if (passedMs > GIVE_UP_MS) throw new Error(`after a minute ${times.length} of ${made.length} have ended`)
    while (times.length < (row?.count ?? 0)) times.push(passedMs)
    await new Promise(resolve => setTimeout(resolve, LOOK_EVERY_MS))
  }
  return times
}

function keepPaying({ node, agents }: Setting): { stop(): Promise<unknown> } {
  let isStopped = false
  let turn = 0
  const paying = Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (; !isStopped; turn++) await node.pay(order(at(agents, turn), at(agents, turn + 1), PAISE))
    }),
  )
  return {
    stop() {
      isStopped = true
      return paying
    },
  }
}

export function at(agents: readonly Uuid[], turn: number): Uuid {
  const id = agents[turn % agents.length]
  if (id === undefined) throw new Error('there are agents')
  return id
}
