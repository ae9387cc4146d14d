import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { Worker } from 'node:worker_threads'
import type { DeliveryStatus } from '@batua/contract'
import { Counter } from 'prom-client'
import type { Logger, LogLevel } from '../kernel/logger.ts'
import type { Metrics } from '../kernel/metrics.ts'
import type { Ledger } from '../ledger/index.ts'

/** What the thread that delivers webhooks gets at its start. */
export interface ThreadSettings {
  readonly databaseUrl: string
  readonly masterKey: Uint8Array
  readonly mode: 'sandbox' | 'live'
  readonly logLevel: LogLevel
  /** One number that both threads see: how busy the event loop of payments is, in thousandths. */
  readonly utilization: Int32Array<SharedArrayBuffer>
}

/** What the thread is asked. */
export type Request = { readonly kind: 'run due'; readonly id: number } | { readonly kind: 'stop' }

/** What the thread tells. */
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
  stop(): Promise<void>
}

const RESTART_AFTER_MS = 1_000
const UTILIZATION_EVERY_MS = 500

export interface ThreadOptions extends Omit<ThreadSettings, 'utilization'> {
  readonly logger: Logger
  readonly metrics: Metrics
  readonly ledger: Pick<Ledger, 'finished'>
}

export function openWebhookThread(options: ThreadOptions): WebhookThread {
  const { databaseUrl, masterKey, mode, logLevel, logger, metrics, ledger } = options
  const utilization = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT))
  const workerData: ThreadSettings = { databaseUrl, masterKey, mode, logLevel, utilization }
  const attempts = new Counter({
    name: 'webhook_attempts_total',
    help: 'Attempts to deliver a webhook by this node, by what the delivery was then',
    labelNames: ['status'],
    registers: [metrics],
  })
  const asked = new Map<number, () => void>()
  let worker: Worker | null = null
  let ended: Promise<void> = Promise.resolve()
  let restart: NodeJS.Timeout | undefined
  let watch: NodeJS.Timeout | undefined
  let lastId = 0
  let isStopped = false

  function begin(): void {
    const started = new Worker(new URL('worker.ts', import.meta.url), {
      workerData,
      env: compileCache(),
      name: 'webhooks',
    })
    worker = started
    started.on('message', hear)
    started.on('error', error => logger.error({ err: error }, 'the thread that delivers webhooks broke'))
    ended = new Promise(resolve => {
      started.once('exit', () => {
        worker = null
        for (const answer of asked.values()) answer()
        asked.clear()
        if (!isStopped) restart = setTimeout(begin, RESTART_AFTER_MS)
        resolve()
      })
    })
  }

  function hear(report: Report): void {
    if (report.kind === 'attempts') {
      for (const [status, count] of Object.entries(report.counts)) attempts.inc({ status }, count)
    } else {
      asked.get(report.id)?.()
      asked.delete(report.id)
    }
  }

  function ask(request: Request): void {
    worker?.postMessage(request)
  }

  return {
    start() {
      begin()
      watch = showUtilization(utilization, ledger)
    },
    async runDue() {
      if (worker === null) return
      const id = ++lastId
      await new Promise<void>(resolve => {
        asked.set(id, resolve)
        ask({ kind: 'run due', id })
      })
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

/** The thread gets no environment, except where this process keeps compiled code. */
function compileCache(): NodeJS.Dict<string> {
  // Node keeps one folder for each of its versions in the folder that it is given.
  const folder = getCompileCacheDir()
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: dirname(folder) }
}

/** So few payments are not kept waiting by deliveries, whatever else the thread is busy with. */
const FEW_PER_SECOND = 1_000

/** Keeps the number that throttles the deliverer: of the last half second of this thread, if it was spent on payments. */
function showUtilization(shown: Int32Array, { finished }: Pick<Ledger, 'finished'>): NodeJS.Timeout {
  let last = performance.eventLoopUtilization()
  let before = finished()
  return setInterval(() => {
    const { utilization } = performance.eventLoopUtilization(last)
    last = performance.eventLoopUtilization()
    const isFew = ((finished() - before) * 1_000) / UTILIZATION_EVERY_MS < FEW_PER_SECOND
    before = finished()
    Atomics.store(shown, 0, isFew ? 0 : Math.round(utilization * 1_000))
  }, UTILIZATION_EVERY_MS)
}
