import { createLogger, type Logger } from '../../kernel/logger.ts'

/** The log of all nodes, and its unexpected errors. */
export interface WatchedLog {
  readonly logger: Logger
  readonly offences: readonly string[]
}

interface Line {
  readonly level: string
  readonly msg: string
  readonly err?: { readonly type?: string; readonly message?: string; readonly stack?: string }
}

/** Errors that faulty connections and crashing nodes are expected to cause; the service handles each. */
const EXPECTED = [
  'funding failed: the gateway created no order',
  'gateway webhook: paid order was never opened here',
]

export function openWatchedLog(): WatchedLog {
  const offences: string[] = []
  const write = (text: string) => {
    const line = JSON.parse(text) as Line
    if (line.err?.type === 'NodeCrashed' || EXPECTED.includes(line.msg)) return
    offences.push(text)
  }
  return { logger: createLogger('error', { write }), offences }
}
