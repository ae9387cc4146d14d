import { unansweredError } from '@batua/outgoing'
import type { Dispatcher } from 'undici'
import type { AttemptResult } from './attempt.ts'

/** A response's body is discarded; a short one is read to its end, so that the connection can be reused. */
const MAX_BODY_BYTES = 16 * 1024

/** How many informational responses (1xx) are accepted before the response. */
const MAX_INFORMATIONAL = 10

export interface Exchange {
  readonly handler: Dispatcher.DispatchHandler
  /** Aborts the exchange. A status that has arrived counts; otherwise the attempt failed with this error. */
  abort(error: string): void
}

/**
 * One request and its response. Only the status counts: once it has arrived, an endless or broken body changes nothing.
 * `onEnd` is called once, `onStart` at most once, when a connection was made and before anything is sent.
 */
export function startExchange(onEnd: (result: AttemptResult) => void, onStart?: () => void): Exchange {
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
    end(response ?? { kind: 'unanswered', error })
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
        response = { kind: 'answered', status, retryAfter }
        return
      }
      informational += 1
      if (informational > MAX_INFORMATIONAL) abort('The receiver sent too much before its answer')
    },
    onResponseData(_, chunk) {
      bodyBytes += chunk.length
      if (bodyBytes > MAX_BODY_BYTES) abort('The answer is too long')
    },
    onResponseEnd() {
      afterReuse(() => {
        if (response !== null) end(response)
      })
    },
    onResponseError(_, error) {
      end(response ?? { kind: 'unanswered', error: unansweredError(error) })
    },
  }
  return { handler, abort }
}

/** undici reuses a connection one turn of the event loop after a response; a request before that would open another. */
function afterReuse(callback: () => void): void {
  setImmediate(() => setImmediate(callback))
}
