import { useQueryClient } from '@tanstack/react-query'
import { useEffect } from 'react'
import { type Session, useSession } from './api.tsx'

const REFRESH_AFTER_MS = 500
/** While events keep coming: a page reads several lists, and a session has a hundred requests a minute. */
const REFRESH_EVERY_MS = 6_000
const FIRST_PAUSE_MS = 1_000
const LONGEST_PAUSE_MS = 30_000

/** Reads what this console shows again as soon as the service reports an event. */
export function useLiveEvents(): void {
  const session = useSession()
  const queries = useQueryClient()
  useEffect(() => {
    const stop = new AbortController()
    let timer: ReturnType<typeof setTimeout> | null = null
    let refreshedMs = Number.NEGATIVE_INFINITY
    // Many events may come at once, so the pages are read again once for all of them.
    const refresh = () => {
      const waitMs = Math.max(REFRESH_AFTER_MS, refreshedMs + REFRESH_EVERY_MS - performance.now())
      timer ??= setTimeout(() => {
        timer = null
        refreshedMs = performance.now()
        void queries.invalidateQueries({ queryKey: [session] })
      }, waitMs)
    }
    void follow(session, refresh, stop.signal)
    return () => {
      stop.abort()
      if (timer !== null) clearTimeout(timer)
    }
  }, [session, queries])
}

/** Keeps a stream of events open, and resumes it after the last event that came. */
async function follow(session: Session, onEvent: () => void, signal: AbortSignal): Promise<void> {
  let last: string | null = null
  for (let failures = 0; !signal.aborted; failures++) {
    try {
      const body = await open(session, last, signal)
      // The session is over: what is read again leads to the login.
      if (body === null) return onEvent()
      if (failures > 0) onEvent()
      failures = 0
      for await (const id of idsIn(body)) {
        last = id ?? last
        onEvent()
      }
    } catch {
      // Nothing but the connection failed: the next attempt is below.
    }
    if (!signal.aborted) await pause(failures, signal)
  }
}

/** `EventSource` cannot send a header, and `X-Session` says which of the browser's sessions counts. */
async function open(session: Session, last: string | null, signal: AbortSignal) {
  const headers = new Headers({ accept: 'text/event-stream', 'x-session': session })
  if (last !== null) headers.set('last-event-id', last)
  const response = await fetch('/api/web/events', { headers, credentials: 'same-origin', signal })
  if (response.status === 401) return null
  if (!response.ok || response.body === null) throw new Error(`no stream: ${response.status}`)
  return response.body
}

/** The ids of the events of a stream; null for one without an id. */
async function* idsIn(body: ReadableStream<Uint8Array<ArrayBuffer>>): AsyncGenerator<string | null> {
  const reader = body.pipeThrough(new TextDecoderStream()).getReader()
  let text = ''
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const blocks = (text + value).split('\n\n')
    text = blocks.pop() ?? ''
    for (const block of blocks) {
      if (/^event: /m.test(block)) yield /^id: (.+)$/m.exec(block)?.[1] ?? null
    }
  }
}

/** Longer after each failure, and never the same for all browsers, so that a restarted service is not asked by all at once. */
function pause(failures: number, signal: AbortSignal): Promise<void> {
  const longest = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * 2 ** failures)
  return new Promise(resolve => {
    const timer = setTimeout(resolve, longest * (0.5 + Math.random() / 2))
    signal.addEventListener('abort', () => {
      clearTimeout(timer)
      resolve()
    })
  })
}
