import type { App } from '../app.ts'
import { assert } from '../kernel/assert.ts'
import type { FromWorker, ToWorker, WorkerStart } from './messages.ts'

// One of several processes of a node: primary.ts starts it, and it listens on the port of the node. It ends with the
// parent process. Ctrl-C and the end of a terminal reach it too; then the parent says what to do.
process.on('SIGINT', () => undefined)
process.on('SIGHUP', () => undefined)
process.on('SIGTERM', () => void stop())

const modules = Promise.all([
  import('../app.ts'),
  import('../kernel/clock.ts'),
  import('../kernel/logger.ts'),
  import('../kernel/return-memory.ts'),
  import('./shared-counts.ts'),
])

function send(message: FromWorker, onSent: () => void = () => undefined): void {
  assert(process.send !== undefined, 'worker.ts runs as a child of the service')
  process.send(message, onSent)
}

let running: Promise<Running> | null = null

interface Running extends Pick<App, 'reload' | 'close'> {
  receive(message: ToWorker): void
}

async function start({ number, config, databaseUrl, masterKey }: WorkerStart): Promise<Running> {
  const [
    { createApp },
    { systemClock },
    { createWorkerLogger },
    { returnMemoryWhenQuiet },
    { openWorkerCounts },
  ] = await modules
  const counts = openWorkerCounts(requests => send({ kind: 'count', requests }))
  const texts = openNodeTexts()
  const app = await createApp(config, {
    databaseUrl,
    masterKey: Buffer.from(masterKey),
    clock: systemClock(),
    logger: createWorkerLogger(config.logLevel, number),
    node: { worker: number, counts: counts.store, metricsText: texts.read },
  })
  const { port } = await app.listen()
  returnMemoryWhenQuiet()
  send({ kind: 'ready', port })
  return {
    ...app,
    receive(message) {
      if (message.kind === 'counted') counts.receive(message.counts)
      else if (message.kind === 'node metrics') texts.receive(message.id, message.text)
      else if (message.kind === 'reload') app.reload(message.next)
      else if (message.kind === 'read metrics') void sendMetrics(app, message.id)
    },
  }
}

async function sendMetrics({ metrics }: App, id: number): Promise<void> {
  const read = await metrics.getMetricsAsJSON()
  send({ kind: 'metrics', id, metrics: read })
}

/** Asks the parent process for the metrics of all processes. */
function openNodeTexts() {
  const asked = new Map<number, (text: string) => void>()
  let lastId = 0
  return {
    read(): Promise<string> {
      const id = ++lastId
      const { promise, resolve } = Promise.withResolvers<string>()
      asked.set(id, resolve)
      send({ kind: 'read node metrics', id })
      return promise
    },
    receive(id: number, text: string): void {
      asked.get(id)?.(text)
      asked.delete(id)
    },
  }
}

let stopping: Promise<void> | null = null

/** Finishes accepted requests. Before its start there are none. */
function stop(): Promise<void> {
  return (stopping ??= (async () => {
    await (await running)?.close()
    process.exit(0)
  })())
}

function fail(error: unknown): void {
  const message = error instanceof Error ? error.message : String(error)
  send({ kind: 'failed', message }, () => process.exit(1))
}

process.on('message', (message: ToWorker) => {
  if (message.kind === 'start') {
    running = start(message)
    running.catch(fail)
  } else if (message.kind === 'stop') {
    void stop()
  } else {
    // A start that failed is reported by `fail`.
    void running?.then(({ receive }) => receive(message)).catch(() => undefined)
  }
})
