import { DatabaseUnavailable } from '../db/errors.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'

/** Work that falls due by the service's clock. Any node may do it: it takes due rows with a lease. */
export interface Job {
  readonly name: string
  /** How long the job sleeps when it found nothing more to do, in real time. */
  readonly everyMs: number
  /** Does one bounded batch of what is due at `now` and tells how many that were; 0: nothing was due. */
  run(now: Date): Promise<number>
}

export interface Jobs {
  start(): void
  /** Does all that is due now, what the work itself makes due included. */
  runDue(): Promise<void>
  /** Finishes the batches that are running and starts no more. */
  stop(): Promise<void>
}

export interface JobsOptions {
  readonly clock: Clock
  readonly logger: Logger
  readonly jobs: readonly Job[]
}

/** One job's work may make another's due (an expiry a refund), but never in a ring as long as this. */
const MAX_ROUNDS = 100
/** A job that finds so much due at one moment puts nothing off; something is wrong with it. */
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
  /** Runs until nothing is due; tells whether anything was. */
  drain(): Promise<boolean>
  stop(): Promise<void>
}

function createLoop(job: Job, clock: Clock, logger: Logger, isStopped: () => boolean): Loop {
  let timer: NodeJS.Timeout | undefined
  // One run at a time in this process: who asks meanwhile gets a run of its own afterwards.
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
      // What is left stays due, so the next run meets it again.
      if (error instanceof DatabaseUnavailable) {
        logger.warn({ job: job.name, reason: error.message }, 'a job waits for the database')
      } else {
        logger.error({ job: job.name, err: error }, 'a job failed')
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
