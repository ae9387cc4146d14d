import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { DeliveryStatus } from '@batua/contract'
import { openDatabase } from '../db/database.ts'
import { followSandboxClock } from '../domains/sandbox/index.ts'
import { openDeliverer } from '../domains/webhooks/index.ts'
import { assert } from '../kernel/assert.ts'
import { systemClock } from '../kernel/clock.ts'
import { createLogger } from '../kernel/logger.ts'
import { openVault } from '../kernel/secrets.ts'
import type { Report, Request, ThreadSettings } from './thread.ts'

/** Attempts that the throttle permits still yield to payments. On Linux the priority applies to the calling thread alone. */
const NICENESS = 10
const MAX_CONNECTIONS = 6
const FOLLOW_CLOCK_MS = 1_000
const REPORT_MS = 1_000

const port = parentPort
assert(port !== null, 'worker.ts runs as a worker thread of the service')
const { databaseUrl, masterKey, mode, logLevel, utilization } = workerData as ThreadSettings
const logger = createLogger(logLevel)
const database = openDatabase(databaseUrl, {
  maxConnections: MAX_CONNECTIONS,
  applicationName: 'batua webhooks',
  onError: ({ message }) => logger.warn({ reason: message }, 'idle database connection broke'),
})
const clock = systemClock()
let counts = noAttempts()
const deliverer = openDeliverer({
  database,
  clock,
  vault: openVault(Buffer.from(masterKey)),
  logger,
  mode,
  utilization: () => Atomics.load(utilization, 0) / 1_000,
  onAttempt: status => {
    counts[status]++
  },
})

function noAttempts(): Record<DeliveryStatus, number> {
  return { delivered: 0, pending: 0, failed: 0 }
}

function report(message: Report): void {
  port?.postMessage(message)
}

function reportAttempts(): void {
  if (counts.delivered + counts.pending + counts.failed === 0) return
  report({ kind: 'attempts', counts })
  counts = noAttempts()
}

/** If the database is not available, the thread reads the clock again when it is. */
async function followClock(): Promise<void> {
  if (mode !== 'sandbox') return
  await followSandboxClock(database, clock).catch(() => undefined)
}

async function runDue(id: number): Promise<void> {
  await followClock()
  await deliverer
    .runDue()
    .catch((err: unknown) => logger.warn({ err }, 'due webhook deliveries failed; they stay due'))
  reportAttempts()
  report({ kind: 'ran due', id })
}

const timers = [
  setInterval(reportAttempts, REPORT_MS),
  setInterval(() => void followClock(), FOLLOW_CLOCK_MS),
]

async function stop(): Promise<void> {
  for (const timer of timers) clearInterval(timer)
  await deliverer.stop()
  await database.close()
  port?.close()
}

port.on('message', (request: Request) => {
  if (request.kind === 'run due') void runDue(request.id)
  else void stop()
})

setPriority(NICENESS)
await followClock()
deliverer.start()
