import { type Lookup, noResponseError, openConnector } from '@batua/outgoing'
import type { Agent, Dispatcher } from 'undici'
import type { AttemptResult, OutgoingRequest } from './attempt.ts'

/** The limit for one attempt: connecting, TLS, headers and body. */
const ATTEMPT_TIMEOUT_MS = 15_000

const MAX_HEADER_BYTES = 16 * 1024

/** Sends webhooks over connections of its own. */
export interface Sender {
  /**
   * Rejects only when the signal aborts; then it is unknown whether the webhook arrived. `onStart` is called when a
   * connection was made, before anything is sent.
   */
  send(webhook: OutgoingRequest, signal?: AbortSignal, onStart?: () => void): Promise<AttemptResult>
  /** Aborts running attempts. */
  close(): Promise<void>
}

export interface SenderOptions {
  readonly mode: 'sandbox' | 'live'
  /** To one receiver. Further attempts wait for a free connection; their timeout runs meanwhile. */
  readonly maxConnections: number
  readonly timeoutMs?: number
  readonly lookup?: Lookup
  /** The certificate authority to trust instead of those of Node. */
  readonly ca?: string
}

export function openSender({
  mode,
  maxConnections,
  timeoutMs = ATTEMPT_TIMEOUT_MS,
  ...trust
}: SenderOptions): Sender {
  const connector = openConnector({ mode, timeoutMs, ...trust })
  let opened: Promise<Agent> | null = null

  /** undici takes megabytes, which a service without webhooks does not need. */
  async function open(): Promise<Agent> {
    const undici = await import('undici')
    return new undici.Agent({
      connect: connector.connect,
      connections: maxConnections,
      pipelining: 1,
      // If HTTP/2 were allowed, all requests would wait until the first connection has negotiated the protocol.
      allowH2: false,
      maxHeaderSize: MAX_HEADER_BYTES,
      // Our own timer covers the whole attempt.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }
  /** The next attempt tries again. */
  function forget(error: unknown): never {
    opened = null
    throw error
  }
  return {
    async send(webhook, signal, onStart) {
      return attempt(await (opened ??= open().catch(forget)), webhook, { timeoutMs, signal, onStart })
    },
    async close() {
      const destroyed = opened?.then(agent => agent.destroy())
      connector.close()
      await destroyed
    },
  }
}

interface Attempt {
  readonly timeoutMs: number
  readonly signal: AbortSignal | undefined
  readonly onStart: (() => void) | undefined
}

function attempt(
  agent: Agent,
  { url: address, headers, body }: OutgoingRequest,
  { timeoutMs, signal, onStart }: Attempt,
): Promise<AttemptResult> {
  if (signal?.aborted === true) return Promise.reject(signal.reason)
  const url = URL.canParse(address) ? new URL(address) : null
  if (url === null || !/^https?:$/.test(url.protocol)) {
    return Promise.resolve({ kind: 'no_response', error: 'The address is not an http or https one' })
  }
  const { promise, resolve, reject } = Promise.withResolvers<AttemptResult>()
  const exchange = startExchange(result => {
    clearTimeout(timer)
    signal?.removeEventListener('abort', giveUp)
    resolve(result)
  }, onStart)
  const giveUp = () => {
    reject(signal?.reason)
    exchange.abort('Given up')
  }
  const timer = setTimeout(() => exchange.abort(`No response within ${timeoutMs / 1000} seconds`), timeoutMs)
  signal?.addEventListener('abort', giveUp, { once: true })
  const path = url.pathname + url.search
  agent.dispatch({ origin: url.origin, path, method: 'POST', headers, body }, exchange.handler)
  return promise
}

/** A response's body is discarded; a short one is read to its end, so that the connection can be reused. */
const MAX_BODY_BYTES = 16 * 1024

/** How many informational responses (1xx) are accepted before the response. */
const MAX_INFORMATIONAL = 10

interface Exchange {
  readonly handler: Dispatcher.DispatchHandler
  /** Aborts the exchange. A status that has arrived counts; otherwise the attempt failed with this error. */
  abort(error: string): void
}

/**
 * One request and its response. Only the status counts: once it has arrived, an endless or broken body changes nothing.
 * `onEnd` is called once, `onStart` at most once, when a connection was made and before anything is sent.
 */
function startExchange(onEnd: (result: AttemptResult) => void, onStart?: () => void): Exchange {
  let controller: Dispatcher.DispatchController | null = null
  let response: AttemptResult | null = null
  let isOver = false
  let bodyBytes = 0
  let informational = 0

  function end(result: AttemptResult): void {
    if (isOver) return
    isOver = true
    onEnd(result)
  }

  function abort(error: string): void {
    end(response ?? { kind: 'no_response', error })
    // The rest of the response may still arrive on this connection, so it is not reused.
    controller?.abort(new Error('aborted'))
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (isOver) started.abort(new Error('aborted'))
      else onStart?.()
    },
    onResponseStart(_, status, headers) {
      if (status >= 200) {
        const [retryAfter = null] = [headers['retry-after']].flat()
        response = { kind: 'responded', status, retryAfter }
        return
      }
      informational += 1
      if (informational > MAX_INFORMATIONAL) abort('The receiver sent too much before its response')
    },
    onResponseData(_, chunk) {
      bodyBytes += chunk.length
      if (bodyBytes > MAX_BODY_BYTES) abort('The response is too long')
    },
    onResponseEnd() {
      afterReuse(() => {
        if (response !== null) end(response)
      })
    },
    onResponseError(_, error) {
      end(response ?? { kind: 'no_response', error: noResponseError(error) })
    },
  }
  return { handler, abort }
}

/** undici reuses a connection one turn of the event loop after a response; a request before that would open another. */
function afterReuse(callback: () => void): void {
  setImmediate(() => setImmediate(callback))
}
