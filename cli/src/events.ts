import { setTimeout as delay } from 'node:timers/promises'
import type { WebhookEvent } from '@batua/sdk'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { responseOf } from './raw-call.ts'
import { type Access, credentialHeaders, type Session } from './session.ts'

/** An event, with its text as the service wrote it. */
export interface StreamedEvent {
  readonly event: WebhookEvent
  readonly text: string
}

export interface FollowOptions {
  /** Called when the stream is open, each time. */
  readonly onOpen?: () => void
  /** Called when events may have been missed. */
  readonly onReset?: () => void
  readonly signal: AbortSignal
}

const FIRST_WAIT_MS = 500
const MAX_WAIT_MS = 10_000
/** A comment comes every 15 s. */
const SILENT_FOR_MS = 45_000

/** The events of a platform or an owner as they happen, each once, over lost connections; ends with its signal. */
export async function* followEvents(
  session: Session,
  access: Access,
  options: FollowOptions,
): AsyncGenerator<StreamedEvent, void, undefined> {
  const seen = new Set<string>()
  let lastId: string | null = null
  for (let waitMs = FIRST_WAIT_MS; !options.signal.aborted; ) {
    try {
      for await (const message of messagesOf(access, lastId, options)) {
        waitMs = FIRST_WAIT_MS
        if (message.event === 'reset') {
          options.onReset?.()
          continue
        }
        lastId = message.id ?? lastId
        if (message.id === undefined || seen.has(message.id)) continue
        seen.add(message.id)
        forgetOldest(seen)
        yield { event: JSON.parse(message.data) as WebhookEvent, text: message.data }
      }
    } catch (error) {
      if (options.signal.aborted) return
      if (!isTransient(error)) throw error
      session.out.note(`The connection was lost; trying again in ${waitMs / 1_000} s`)
      await delay(waitMs, undefined, { signal: options.signal }).catch(() => undefined)
      waitMs = Math.min(2 * waitMs, MAX_WAIT_MS)
    }
  }
}

/** One connection, until the service ends it. */
async function* messagesOf(
  access: Access,
  lastId: string | null,
  { signal, onOpen }: FollowOptions,
): AsyncGenerator<EventSourceMessage, void, undefined> {
  const idleAbort = new AbortController()
  const headers = { ...credentialHeaders(access), ...(lastId === null ? {} : { 'last-event-id': lastId }) }
  const ended = AbortSignal.any([signal, idleAbort.signal])
  const response = await responseOf(access, '/api/web/events', { headers, signal: ended })
  onOpen?.()
  const messages: EventSourceMessage[] = []
  const parser = createParser({ onEvent: message => messages.push(message) })
  const decoder = new TextDecoder()
  const timer = setTimeout(() => idleAbort.abort(), SILENT_FOR_MS)
  try {
    for await (const bytes of response.body ?? []) {
      timer.refresh()
      parser.feed(decoder.decode(bytes as Uint8Array, { stream: true }))
      yield* messages.splice(0)
    }
  } finally {
    clearTimeout(timer)
    idleAbort.abort()
  }
}

function isTransient(error: unknown): boolean {
  if (!(error instanceof Error)) return false
  const status = 'status' in error ? error.status : null
  return status === null || status === 429 || (typeof status === 'number' && status >= 500)
}

const MAX_SEEN = 10_000

function forgetOldest(seen: Set<string>): void {
  for (const oldest of seen) {
    if (seen.size <= MAX_SEEN) break
    seen.delete(oldest)
  }
}
