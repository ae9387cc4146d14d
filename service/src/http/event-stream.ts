import { Readable } from 'node:stream'

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
