import cluster, { type Worker } from 'node:cluster'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type { Config } from '../config/config.ts'
import { openDatabase } from '../db/database.ts'
import { ALLOWED_CONNECTIONS, CONNECTIONS_OF_A_PROCESS } from '../db/fair-pools.ts'
import { backoffMs } from '../kernel/clock.ts'
import type { Logger } from '../kernel/logger.ts'
import { addCounter, createMetrics } from '../kernel/metrics.ts'
import type { FromWorker, ProcessMetrics, Reloaded, ToWorker } from './messages.ts'
import { openNodeMetrics } from './node-metrics.ts'
import { countForWorkers } from './shared-counts.ts'

export interface Workers {
  readonly port: number
  reload(next: Reloaded): void
  /** Every worker finishes its accepted requests; resolves when all have ended. */
  close(): Promise<void>
}

export interface WorkersOptions {
  readonly databaseUrl: string
  readonly masterKey: Buffer
  readonly logger: Logger
}

const RESTART_DELAY = { firstMs: 100, longestMs: 5_000 }
/** A worker that lived this long was started well. */
const STABLE_MS = 30_000
/** A worker whose event loop is blocked longer does not hold up the metrics of the others. */
const METRICS_PATIENCE_MS = 2_000

interface WorkerProcess {
  readonly pid: number
  /** The port, when it listens; rejects if it fails or ends before. */
  readonly ready: Promise<number>
  /** How it ended. */
  readonly ended: Promise<string>
  send(message: ToWorker): void
  readMetrics(): Promise<ProcessMetrics | null>
  kill(): void
}

/**
 * Starts the service in several processes that share one port. This process accepts the connections and gives them to
 * the workers in turn, so a few connections that are kept open use all processes. A worker that ends by itself is started again. If one
 * cannot start at all at the beginning, all end.
 */
export async function startWorkers(
  config: Config,
  { databaseUrl, masterKey, logger }: WorkersOptions,
): Promise<Workers> {
  cluster.setupPrimary({
    exec: fileURLToPath(new URL('worker.ts', import.meta.url)),
    serialization: 'advanced',
  })
  cluster.schedulingPolicy = cluster.SCHED_RR
  const own = createMetrics()
  const exits = addCounter(own, 'batua_worker_exits_total')
  const running = new Map<number, WorkerProcess>()
  const count = countForWorkers()
  const metrics = openNodeMetrics(
    own,
    () => new Map([...running].map(([number, { readMetrics }]) => [number, readMetrics])),
  )
  const stopping = new AbortController()
  let current = config

  function fork(number: number): WorkerProcess {
    const worker = forkWorker(number, {
      onCount: requests => worker.send({ kind: 'counted', counts: count(requests) }),
      onMetrics: id => void metrics.text().then(text => worker.send({ kind: 'node metrics', id, text })),
    })
    running.set(number, worker)
    return worker
  }

  function begin(number: number, worker: WorkerProcess): void {
    worker.send({ kind: 'start', number, config: current, databaseUrl, masterKey })
  }

  /** Starts a worker again each time it ends, until the node stops. */
  async function keep(number: number, first: WorkerProcess): Promise<void> {
    let worker = first
    for (let failures = 0; ; failures++) {
      const bornMs = performance.now()
      const how = await worker.ended
      running.delete(number)
      metrics.ended(number)
      if (stopping.signal.aborted) return
      exits.inc()
      logger.error({ worker: number, pid: worker.pid, how }, 'worker process ended; it is started again')
      if (performance.now() - bornMs > STABLE_MS) failures = 0
      const { signal } = stopping
      await delay(backoffMs(failures, RESTART_DELAY), undefined, { signal }).catch(() => undefined)
      if (stopping.signal.aborted) return
      worker = fork(number)
      worker.ready.then(
        () => logger.warn({ worker: number, pid: worker.pid }, 'worker process started again'),
        (error: unknown) => logger.error({ worker: number, err: error }, 'worker process did not start'),
      )
      begin(number, worker)
    }
  }

  await warnOfFewConnections(config.workers, databaseUrl, logger)
  const port = await startAll(config.workers, fork, begin, stopping)
  const keeping = [...running].map(([number, worker]) => keep(number, worker))
  return {
    port,
    reload({ rateLimits, logLevel }) {
      // Nothing else: a worker that is started again runs with the configuration of the others.
      Object.assign(config.rateLimits, rateLimits)
      current = { ...config, logLevel }
      logger.level = logLevel
      for (const worker of running.values()) worker.send({ kind: 'reload', next: { rateLimits, logLevel } })
    },
    async close() {
      stopping.abort()
      for (const worker of running.values()) worker.send({ kind: 'stop' })
      await Promise.all(keeping)
    },
  }
}

async function warnOfFewConnections(workers: number, databaseUrl: string, logger: Logger): Promise<void> {
  const database = openDatabase(databaseUrl, { maxConnections: 1, applicationName: 'batua start' })
  try {
    const [row] = await database.query<{ most: number }>(`select ${ALLOWED_CONNECTIONS} as most`, [])
    const needed = workers * CONNECTIONS_OF_A_PROCESS
    if ((row?.most ?? 0) < needed)
      logger.warn(
        { max_connections: row?.most, needed },
        'the database allows too few connections for the workers',
      )
  } finally {
    await database.close()
  }
}

/**
 * All processes load their modules at the same time. The first one then does what is done once for a database, such as
 * making its first keys; when it is ready, the others start.
 */
async function startAll(
  count: number,
  fork: (number: number) => WorkerProcess,
  begin: (number: number, worker: WorkerProcess) => void,
  stopping: AbortController,
): Promise<number> {
  const [first, ...others] = Array.from({ length: count }, (_, index) => fork(index + 1))
  if (first === undefined) throw new Error('a node has a worker')
  try {
    begin(1, first)
    const port = await first.ready
    for (const [index, worker] of others.entries()) begin(index + 2, worker)
    await Promise.all(others.map(({ ready }) => ready))
    return port
  } catch (error) {
    stopping.abort()
    for (const worker of [first, ...others]) worker.kill()
    await Promise.all([first, ...others].map(({ ended }) => ended))
    throw error
  }
}

interface Requests {
  onCount(requests: Extract<FromWorker, { kind: 'count' }>['requests']): void
  /** The worker asks for the metrics of all. */
  onMetrics(id: number): void
}

function forkWorker(number: number, { onCount, onMetrics }: Requests): WorkerProcess {
  const child = cluster.fork()
  const ready = Promise.withResolvers<number>()
  // It may be awaited only later.
  ready.promise.catch(() => undefined)
  const ended = whenEnded(child)
  const reads = new Map<number, (metrics: ProcessMetrics | null) => void>()
  let lastId = 0
  child.on('message', (message: FromWorker) => {
    if (message.kind === 'ready') ready.resolve(message.port)
    else if (message.kind === 'failed') ready.reject(new Error(message.message))
    else if (message.kind === 'count') onCount(message.requests)
    else if (message.kind === 'read node metrics') onMetrics(message.id)
    else reads.get(message.id)?.(message.metrics)
  })
  void ended.then(how => {
    ready.reject(new Error(`Worker process ${number} ended before it was ready (${how})`))
    for (const report of reads.values()) report(null)
  })

  function send(message: ToWorker): void {
    // A process that ends meanwhile is noticed by its end.
    if (child.isConnected()) child.send(message, () => undefined)
  }

  async function readMetrics(): Promise<ProcessMetrics | null> {
    const id = ++lastId
    const { promise, resolve } = Promise.withResolvers<ProcessMetrics | null>()
    reads.set(id, resolve)
    const timer = setTimeout(() => resolve(null), METRICS_PATIENCE_MS)
    send({ kind: 'read metrics', id })
    try {
      return await promise
    } finally {
      clearTimeout(timer)
      reads.delete(id)
    }
  }

  return {
    pid: child.process.pid ?? 0,
    ready: ready.promise,
    ended,
    send,
    readMetrics,
    kill: () => void child.process.kill('SIGKILL'),
  }
}

/** A process that could not be started has an error instead of an end. */
function whenEnded(child: Worker): Promise<string> {
  return new Promise(resolve => {
    child.once('exit', (code: number | null, signal: string | null) => resolve(signal ?? `exit code ${code}`))
    child.on('error', error => {
      if (child.process.pid === undefined) resolve(error.message)
    })
  })
}
