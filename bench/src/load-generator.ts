import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { FromGenerator, Introduction, LoadReport, Order, ToGenerator } from './messages.ts'

/** The load generator, in a separate process, so that it does not slow the benchmark and is not slowed by it. */
export interface LoadGenerator {
  introduce(introduction: Omit<Introduction, 'kind'>): Promise<void>
  /** Complete requests, which orders name. */
  prepare(name: string, texts: readonly string[]): Promise<void>
  /** Runs one order; the functions are called at the start and the end of its counting window. */
  run(order: OrderOf, window?: { onBegan?(): void; onEnded?(): void }): Promise<LoadReport>
  stop(): Promise<void>
}

/** An order without its kind; `Omit` alone would merge its alternatives. */
type OrderOf = Order extends infer Each ? (Each extends Order ? Omit<Each, 'kind'> : never) : never

const SCRIPT = fileURLToPath(new URL('generator.ts', import.meta.url))

export function startLoadGenerator(): LoadGenerator {
  const child = fork(SCRIPT, { serialization: 'advanced', execArgv: [] })
  const ended = new Promise<void>(resolve => child.once('exit', () => resolve()))
  return {
    async introduce(introduction) {
      await converse(child, { kind: 'introduction', ...introduction }, reply => reply.kind === 'introduced')
    },
    async prepare(name, texts) {
      await converse(child, { kind: 'prepared', name, texts }, reply => reply.kind === 'prepared')
    },
    async run(order, window = {}) {
      let report: LoadReport | undefined
      await converse(child, { kind: 'order', ...order }, message => {
        if (message.kind === 'began') window.onBegan?.()
        if (message.kind === 'ended') window.onEnded?.()
        if (message.kind === 'report') report = message.report
        return report !== undefined
      })
      if (report === undefined) throw new Error('the load generator ended without a report')
      return report
    },
    async stop() {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}

/** Sends one message and receives the replies to it, including the last. */
function converse(
  child: ChildProcess,
  message: ToGenerator,
  isLast: (reply: FromGenerator) => boolean,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const onReply = (reply: FromGenerator) => {
      if (!isLast(reply)) return
      leave()
      resolve()
    }
    const fail = () => {
      leave()
      reject(new Error('the load generator ended'))
    }
    const leave = () => {
      child.off('message', onReply)
      child.off('exit', fail)
    }
    child.on('message', onReply)
    child.once('exit', fail)
    child.send(message)
  })
}
