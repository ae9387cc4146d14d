import type { Dispatcher } from 'undici'
import type { AttemptResult } from './attempt.ts'
import { unansweredError } from './unanswered.ts'

/** Of an answer's body nothing is kept; a short one is read to its end, so that the connection can be used again. */
const MAX_BODY_BYTES = 16 * 1024

/** How many answers before the answer (1xx) are listened to. */
const MAX_INFORMATIONAL = 10

export interface Exchange {
  readonly handler: Dispatcher.DispatchHandler
  /** Breaks it off: what was answered by then counts, and without an answer there was none for this reason. */
  breakOff(error: string): void
}

/**
 * One request and what comes back. The status is the answer: once it stands, an endless or broken body changes nothing.
 * `onEnd` is called once.
 */
export function startExchange(onEnd: (result: AttemptResult) => void): Exchange {
  let controller: Dispatcher.DispatchController | null = null
  let answer: AttemptResult | null = null
  let isOver = false
  let bodyBytes = 0
  let informational = 0

  function end(result: AttemptResult): void {
    if (isOver) return
    isOver = true
    onEnd(result)
  }

  function breakOff(error: string): void {
    end(answer ?? { kind: 'unanswered', error })
    // It cannot be told what would come on this connection next.
    controller?.abort(new Error('broken off'))
  }

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      controller = started
      if (isOver) started.abort(new Error('broken off'))
    },
    onResponseStart(_, status, headers) {
      if (status >= 200) {
        const [retryAfter = null] = [headers['retry-after']].flat()
        answer = { kind: 'answered', status, retryAfter }
        return
      }
      informational += 1
      if (informational > MAX_INFORMATIONAL) breakOff('The receiver sent too much before its answer')
    },
    onResponseData(_, chunk) {
      bodyBytes += chunk.length
      if (bodyBytes > MAX_BODY_BYTES) breakOff('The answer is too long')
    },
    onResponseEnd() {
      afterReuse(() => {
        if (answer !== null) end(answer)
      })
    },
    onResponseError(_, error) {
      end(answer ?? { kind: 'unanswered', error: unansweredError(error) })
    },
  }
  return { handler, breakOff }
}

/** undici hands a connection on one turn of the event loop after an answer; who asked sooner would open another one. */
function afterReuse(act: () => void): void {
  setImmediate(() => setImmediate(act))
}
