import { Readable } from 'node:stream'
import type { MediaType } from '@batua/contract'
import { assert } from '../kernel/assert.ts'

/** A response that is sent while it is made. An error of the stream ends the connection, so the client notices. */
export interface Streamed<Type extends MediaType = MediaType> {
  readonly type: Type
  readonly body: Readable
  /** The name under which a browser saves it: letters, digits, `-`, `_` and `.` alone. */
  readonly fileName?: string
}

const CONTENT_TYPES: Record<MediaType, string> = {
  'application/json': 'application/json; charset=utf-8',
  'text/csv': 'text/csv; charset=utf-8; header=present',
  'application/pdf': 'application/pdf',
  'text/event-stream': 'text/event-stream',
}

export function headersOf({ type, fileName }: Streamed): Record<string, string> {
  assert(fileName === undefined || /^[\w.-]+$/.test(fileName), 'a file name needs no quotes')
  return {
    'content-type': CONTENT_TYPES[type],
    'cache-control': 'no-store',
    // nginx collects a response before it passes it on, unless this header forbids it.
    'x-accel-buffering': 'no',
    ...(fileName === undefined ? {} : { 'content-disposition': `attachment; filename="${fileName}"` }),
  }
}

/** A stream of server-sent events to one client. */
export interface EventStream {
  /** The body of the response. */
  readonly body: Readable
  send(event: { readonly id?: string; readonly name: string; readonly data: string }): void
  end(): void
}

/** The client reconnects after this pause. */
const RETRY_MS = 2_000
const COMMENT_MS = 15_000
/** A client that reads slower than events happen is disconnected; it resumes with the last event that it got. */
export const MAX_WAITING_BYTES = 256 * 1024

/** Opens a stream. A comment every 15 seconds keeps proxies from closing it. */
export function openEventStream(): EventStream {
  const body = new Readable({ read() {} })
  let isEnded = false
  const timer = setInterval(() => write(': \n\n'), COMMENT_MS)
  body.once('close', () => clearInterval(timer))
  write(`retry: ${RETRY_MS}\n\n`)

  function write(text: string): void {
    if (isEnded || body.destroyed) return
    body.push(text)
    if (body.readableLength > MAX_WAITING_BYTES) body.destroy()
  }

  return {
    body,
    send: ({ id, name, data }) =>
      write(`${id === undefined ? '' : `id: ${id}\n`}event: ${name}\ndata: ${data}\n\n`),
    end() {
      clearInterval(timer)
      if (isEnded || body.destroyed) return
      isEnded = true
      body.push(null)
    },
  }
}
