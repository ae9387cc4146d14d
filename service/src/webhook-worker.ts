import { setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import type { DeliveryStatus } from '@batua/contract'
import { openDatabase } from './db/database.ts'
/* oxlint-disable no-restricted-imports -- The index of a domain loads its routes, which this thread would load at each start for nothing. */
import { disableWebhookUrl } from './domains/parties/platforms/store.ts'
import { readWebhookTarget } from './domains/parties/platforms/webhook-target.ts'
import { openDeliverer } from './domains/webhooks/delivering/deliverer.ts'
/* oxlint-enable no-restricted-imports */
import { assert } from './kernel/assert.ts'
import { systemClock } from './kernel/clock.ts'
import { createLogger, createWorkerLogger } from './kernel/logger.ts'
import { returnMemoryWhenQuiet } from './kernel/return-memory.ts'
import { openVault } from './kernel/secrets.ts'
import { openTracing } from './kernel/tracing.ts'
import type { Report, Request, ThreadSettings } from './webhook-thread.ts'

/** Attempts that the throttle permits still yield to payments. On Linux the priority applies to the calling thread alone. */
const NICENESS = 10
const MAX_CONNECTIONS = 6
const REPORT_MS = 1_000

const port = parentPort
assert(port !== null, 'webhook-worker.ts runs as a worker thread of the service')
const { databaseUrl, masterKey, mode, logLevel, worker, tracingSettings, utilization, sleeping, offsetMs } =
  workerData as ThreadSettings
const logger = worker === null ? createLogger(logLevel) : createWorkerLogger(logLevel, worker)
const tracing = tracingSettings === null ? null : await openTracing(tracingSettings, logger)
const database = openDatabase(databaseUrl, {
  maxConnections: MAX_CONNECTIONS,
  applicationName: 'batua webhooks',
  onError: ({ message }) => logger.warn({ reason: message }, 'idle database connection broke'),
})
const clock = systemClock(offsetMs)
let counts = noAttempts()
const deliverer = openDeliverer({
  database,
  clock,
  targets: { read: readWebhookTarget, disable: disableWebhookUrl },
  vault: openVault(Buffer.from(masterKey)),
  logger,
  mode,
  tracing,
  utilization: () => Atomics.load(utilization, 0) / 1_000,
  onSleep: isAsleep => void Atomics.store(sleeping, 0, isAsleep ? 1 : 0),
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

async function runDue(id: number): Promise<void> {
  await deliverer
    .runDue()
    .catch((err: unknown) => logger.warn({ err }, 'due webhook deliveries failed; they stay due'))
  reportAttempts()
  report({ kind: 'ran due', id })
}

const timer = setInterval(reportAttempts, REPORT_MS)
returnMemoryWhenQuiet()

async function stop(): Promise<void> {
  clearInterval(timer)
  await deliverer.stop()
  await database.close()
  await tracing?.close()
  port?.close()
}

port.on('message', (request: Request) => {
  if ('offsetMs' in request) clock.setOffsetMs(request.offsetMs)
  if (request.kind === 'run due') void runDue(request.id)
  else if (request.kind === 'wake') deliverer.wake()
  else if (request.kind === 'log') logger.level = request.level
  else if (request.kind === 'stop') void stop()
})

setPriority(NICENESS)
deliverer.start()
