import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DeliveryStatus } from '@batua/contract'
import type { Database } from './db/database.ts'
import type { Clock } from './kernel/clock.ts'
import type { Logger, LogLevel } from './kernel/logger.ts'
import { addCounter, type Metrics } from './kernel/metrics.ts'
import type { TracingSettings } from './kernel/tracing.ts'
import type { Ledger } from './ledger/index.ts'
import type { Job } from './operations/jobs.ts'

/** What the thread that delivers webhooks gets at its start. */
export interface ThreadSettings {
  readonly databaseUrl: string
  readonly masterKey: Uint8Array
  readonly mode: 'sandbox' | 'live'
  readonly logLevel: LogLevel
  /** The number of this worker process; null: the process is the node. */
  readonly worker: number | null
  /** The thread's own; null: deliveries are not traced. */
  readonly tracingSettings: TracingSettings | null
  /** How far the service's clock is ahead of the machine's. */
  readonly offsetMs: number
  /** One number that both threads see: how busy the event loop of payments is, in thousandths. */
  readonly utilization: Int32Array<SharedArrayBuffer>
  /** Another one: 1 while the thread has nothing to do and wants to be woken by the next commit. */
  readonly sleeping: Int32Array<SharedArrayBuffer>
}

/** The messages to the thread. */
export type Request =
  | { readonly kind: 'run due'; readonly id: number; readonly offsetMs: number }
  | { readonly kind: 'clock'; readonly offsetMs: number }
  | { readonly kind: 'wake' }
  | { readonly kind: 'log'; readonly level: LogLevel }
  | { readonly kind: 'stop' }

/** The messages from the thread. */
export type Report =
  | { readonly kind: 'ran due'; readonly id: number }
  | { readonly kind: 'attempts'; readonly counts: Readonly<Record<DeliveryStatus, number>> }

/**
 * Webhooks are delivered by a thread of their own: what receivers cost, TLS and waiting included, never keeps a payment
 * waiting, and an error there ends no payment.
 */
export interface WebhookThread {
  start(): void
  /** Resolves when what is due now was tried. */
  runDue(): Promise<void>
  /** From now on it logs lines of this level. */
  setLogLevel(level: LogLevel): void
  stop(): Promise<void>
}

const RESTART_AFTER_MS = 1_000
const WATCH_EVERY_MS = 500

export interface ThreadOptions
  extends Omit<ThreadSettings, 'utilization' | 'sleeping' | 'offsetMs' | 'worker'> {
  readonly node?: { readonly worker: number }
  readonly database: Pick<Database, 'onCommit'>
  readonly clock: Clock
  readonly logger: Logger
  readonly metrics: Metrics
  readonly ledger: Pick<Ledger, 'finished'>
}

export function openWebhookThread(options: ThreadOptions): WebhookThread {
  const { databaseUrl, masterKey, mode, tracingSettings, clock, logger, metrics } = options
  const shared = { utilization: sharedNumber(), sleeping: sharedNumber() }
  let { logLevel } = options
  const attempts = addCounter(metrics, 'batua_webhook_attempts_total')
  const asked = new Map<number, () => void>()
  let worker: Worker | null = null
  let ended: Promise<void> = Promise.resolve()
  let restart: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  let lastId = 0
  let isStopped = false

  function begin(): void {
    const offsetMs = clock.offsetMs()
    const number = options.node?.worker ?? null
    const settings = { databaseUrl, masterKey, mode, logLevel, worker: number, tracingSettings, offsetMs }
    const started = startWorker({ ...settings, ...shared })
    worker = started
    started.on('message', handleReport)
    started.on('error', error =>
      logger.error({ err: error }, 'webhook delivery thread crashed; it is restarted'),
    )
    const { promise, resolve } = Promise.withResolvers<void>()
    ended = promise
    started.once('exit', () => {
      worker = null
      for (const finish of asked.values()) finish()
      asked.clear()
      if (!isStopped) restart = setTimeout(begin, RESTART_AFTER_MS)
      resolve()
    })
  }

  function handleReport(report: Report): void {
    if (report.kind === 'attempts') {
      for (const [status, count] of Object.entries(report.counts)) attempts.inc({ status }, count)
      return
    }
    asked.get(report.id)?.()
    asked.delete(report.id)
  }

  function ask(request: Request): void {
    worker?.postMessage(request)
  }

  return {
    start() {
      begin()
      wakeAfterCommits(options.database, shared.sleeping, () => ask({ kind: 'wake' }))
      watch = setInterval(stateSender(options, shared.utilization, ask), WATCH_EVERY_MS)
    },
    async runDue() {
      if (worker === null) return
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<void>()
      asked.set(id, resolve)
      ask({ kind: 'run due', id, offsetMs: clock.offsetMs() })
      await promise
    },
    setLogLevel(level) {
      logLevel = level
      ask({ kind: 'log', level })
    },
    async stop() {
      isStopped = true
      clearTimeout(restart)
      clearInterval(watch)
      ask({ kind: 'stop' })
      await ended
    },
  }
}

/** The webhook thread, as a job: a moved clock waits until it has attempted the deliveries that fell due. */
export function deliveriesJob(thread: WebhookThread): Job {
  return {
    name: 'webhook deliveries',
    everyMs: 60_000,
    async run() {
      await thread.runDue()
      return 0
    },
  }
}

/** A commit may have queued events. A busy thread polls for them anyway. */
function wakeAfterCommits(
  database: Pick<Database, 'onCommit'>,
  sleeping: ThreadSettings['sleeping'],
  wake: () => void,
): void {
  database.onCommit(() => {
    if (Atomics.exchange(sleeping, 0, 0) === 1) wake()
  })
}

/** Sends the thread how busy payments are, and the offset of the clock when it has changed. */
function stateSender(
  { ledger, clock }: Pick<ThreadOptions, 'ledger' | 'clock'>,
  utilization: ThreadSettings['utilization'],
  ask: (request: Request) => void,
): () => void {
  const busy = meterUtilization(ledger)
  let sentMs = clock.offsetMs()
  return () => {
    Atomics.store(utilization, 0, busy())
    const offsetMs = clock.offsetMs()
    if (offsetMs === sentMs) return
    sentMs = offsetMs
    ask({ kind: 'clock', offsetMs })
  }
}

function sharedNumber(): Int32Array<SharedArrayBuffer> {
  return new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
}

function startWorker(workerData: ThreadSettings): Worker {
  return new Worker(new URL('webhook-worker.ts', import.meta.url), {
    workerData,
    env: compileCache(),
    name: 'webhooks',
  })
}

/** The thread gets no environment, except where this process keeps compiled code. */
function compileCache(): NodeJS.Dict<string> {
  // Node keeps one folder for each of its versions in the folder that it is given.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/** So few payments are not kept waiting by deliveries, whatever else the thread is busy with. */
const FEW_PER_SECOND = 1_000

/**
 * Measures what throttles the deliverer: the utilization since the last call, in thousandths, if it was spent on
 * payments.
 */
function meterUtilization({ finished }: Pick<Ledger, 'finished'>): () => number {
  let last = performance.eventLoopUtilization()
  let before = finished()
  return () => {
    const { utilization } = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    const isFew = ((finished() - before) * 1_000) / WATCH_EVERY_MS < FEW_PER_SECOND
    before = finished()
    return isFew ? 0 : Math.round(utilization * 1_000)
  }
}
