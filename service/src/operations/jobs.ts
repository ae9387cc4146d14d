import { DatabaseUnavailable } from '../db/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'

/** Work that falls due by the service's clock. Any node may do it; it takes due rows with a lease. */
export interface Job {
  readonly name: string
  /** Milliseconds of real time between runs when nothing is due. */
  readonly everyMs: number
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
  readonly logger: Logger
  readonly jobs: readonly Job[]
}

/** One job may make work of another due (an expiry makes a refund due), but never in a cycle of this length. */
const MAX_ROUNDS = 100
/** A job that finds this many batches due at once does not move its due times forward, which is a defect. */
const MAX_BATCHES = 100_000

export function createJobs({ clock, logger, jobs }: JobsOptions): Jobs {
  let stopped = false
  const loops = jobs.map(job => createLoop(job, clock, logger, () => stopped))
  return {
    start() {
      for (const loop of loops) loop.start()
    },
    async runDue() {
      for (let round = 0; round < MAX_ROUNDS; round++) {
        const worked = await Promise.all(loops.map(loop => loop.drain()))
        if (!worked.includes(true)) return
      }
    },
    async stop() {
      stopped = true
      await Promise.all(loops.map(loop => loop.stop()))
    },
  }
}

interface Loop {
  start(): void
  /** Runs until nothing is due. Returns whether anything was. */
  drain(): Promise<boolean>
  stop(): Promise<void>
}

function createLoop(job: Job, clock: Clock, logger: Logger, isStopped: () => boolean): Loop {
  let timer: NodeJS.Timeout | undefined
  // One run at a time in this process. A call during a run gets its own run afterwards.
  let last: Promise<boolean> = Promise.resolve(false)

  function drain(): Promise<boolean> {
    last = last.then(run, run)
    return last
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
    if (!isStopped()) timer = setTimeout(() => void tick(), job.everyMs)
  }

  return {
    start: () => void tick(),
    drain,
    async stop() {
      clearTimeout(timer)
      await last
    },
  }
}
