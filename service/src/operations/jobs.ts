import type { Queryable } from '../db/database.ts'
import { DatabaseUnavailable } from '../db/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'

/** Work that falls due by the service's clock. Any node may do it; it takes due rows with a lease. */
export interface Job {
  readonly name: string
  /** Milliseconds of real time between runs when nothing is due. */
  readonly everyMs: number
  /**
   * Whether there may be something to do at $1: an SQL expression. While it is false the job does not run. All jobs
   * that have one are asked for in one statement a second, so that a service without work queries little.
   */
  readonly due?: string
  /** Does one bounded batch of the work that is due at `now`. Returns how many items it did; 0: nothing was due. */
  run(now: Date): Promise<number>
}

export interface Jobs {
  start(): void
  /** Does everything that is due now, including work that falls due because of it. */
  runDue(): Promise<void>
  /** Finishes the batches that are running and starts no more. */
  stop(): Promise<void>
}

export interface JobsOptions {
  readonly clock: Clock
  readonly database: Queryable
  readonly logger: Logger
  readonly jobs: readonly Job[]
}

const PROBE_MS = 1_000
/** One job may make work of another due (an expiry makes a refund due), but never in a cycle of this length. */
const MAX_ROUNDS = 100
/** A job that finds this many batches due at once does not move its due times forward, which is a defect. */
const MAX_BATCHES = 100_000

export function createJobs({ clock, database, logger, jobs }: JobsOptions): Jobs {
  let stopped = false
  let probing: NodeJS.Timeout | undefined
  const loops = jobs.map(job => createLoop(job, clock, logger, () => stopped))
  const asked = loops.filter(({ due }) => due !== undefined)
  const sql = `select array[${asked.map(({ due }) => due).join(', ')}]::boolean[]::text as due`

  /** Queries which jobs have due work. While the database does not respond, every job runs. */
  async function probe(): Promise<void> {
    try {
      const [row] = await database.query<{ due: string }>(sql, [clock.now()])
      const responses = row?.due.slice(1, -1).split(',')
      for (const [index, loop] of asked.entries()) loop.setDue(responses?.[index] === 't')
    } catch (error) {
      if (!(error instanceof DatabaseUnavailable))
        logger.error({ err: error }, 'query for due jobs failed; all jobs run')
      for (const loop of asked) loop.setDue(true)
    }
    if (!stopped) probing = setTimeout(() => void probe(), PROBE_MS)
  }

  return {
    start() {
      for (const loop of loops) loop.start()
      if (asked.length > 0) probing = setTimeout(() => void probe(), PROBE_MS)
    },
    async runDue() {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const worked = await Promise.all(loops.map(loop => loop.drain()))
        if (!worked.includes(true)) return
      }
    },
    async stop() {
      stopped = true
      clearTimeout(probing)
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}

interface Loop {
  readonly due: string | undefined
  start(): void
  /** Runs at once and then regularly, or not until it is due again. */
  setDue(isDue: boolean): void
  /** Runs until nothing is due. Returns whether anything was, for a run under way too. */
  drain(): Promise<boolean>
  stop(): Promise<void>
}

function createLoop(job: Job, clock: Clock, logger: Logger, isStopped: () => boolean): Loop {
  let timer: NodeJS.Timeout | undefined
  let isDue = job.due === undefined
  let running: Promise<boolean> | null = null

  /**
   * One run at a time in this process. A call during a run gets its own run afterwards, and what that run did counts
   * too: it may have made work of another job due, which ran before it.
   */
  async function drain(): Promise<boolean> {
    const mine = runAfter(running)
    running = mine
    const worked = await mine
    if (running === mine) running = null
    return worked
  }

  async function runAfter(earlier: Promise<boolean> | null): Promise<boolean> {
    const worked = await earlier
    return (await run()) || worked === true
  }

  async function run(): Promise<boolean> {
    let batches = 0
    try {
      while (!isStopped() && batches < MAX_BATCHES && (await job.run(clock.now())) > 0) batches++
    } catch (error) {
      // The remaining work stays due, so the next run does it.
      if (error instanceof DatabaseUnavailable) {
        logger.warn({ job: job.name, reason: error.message }, 'job postponed: the database is not available')
      } else {
        logger.error({ job: job.name, err: error }, 'job failed')
      }
    }
    return batches > 0
  }

  async function tick(): Promise<void> {
    await drain()
    if (isStopped() || !isDue) return
    clearTimeout(timer)
    timer = setTimeout(() => void tick(), job.everyMs)
  }

  return {
    due: job.due,
    start: () => void tick(),
    setDue(isNowDue) {
      const wasDue = isDue
      isDue = isNowDue
      if (!isDue) clearTimeout(timer)
      else if (!wasDue && !isStopped()) void tick()
    },
    drain,
    async stop() {
      clearTimeout(timer)
      await running
    },
  }
}
