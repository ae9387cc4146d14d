import type { IncomingMessage, ServerResponse } from 'node:http'

/** A receiver's behaviour at a request. Only a 2xx response accepts the event. */
export type Behaviour =
  | {
      readonly kind: 'respond'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly afterMs?: number
    }
  /** Reads the request and never responds. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset'; readonly when: 'before reading' | 'after reading' }
  /** Responds with something that is not HTTP. */
  | { readonly kind: 'garbage' }
  /** Responds with 200 and an endless body. */
  | { readonly kind: 'endless body' }

export const OK: Behaviour = { kind: 'respond', status: 200 }
export const HANG: Behaviour = { kind: 'hang' }

export function respond(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return { kind: 'respond', status, headers }
}

/** Whether this response means that the event is delivered. */
function isAcceptance(behaviour: Behaviour): boolean {
  if (behaviour.kind === 'endless body') return true
  return behaviour.kind === 'respond' && behaviour.status >= 200 && behaviour.status < 300
}

const GARBAGE = Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x0a, 0x0d, 0x48, 0x54, 0x54, 0x50, 0x2f, 0x00])
const FILLER = Buffer.alloc(64 * 1024, 'x')

/** Behaves so once the request was read; `whenAccepted` is called when a 2xx response was sent. */
export function behave(
  behaviour: Behaviour,
  request: IncomingMessage,
  response: ServerResponse,
  whenAccepted: () => void,
): void {
  switch (behaviour.kind) {
    case 'respond':
      setTimeout(() => {
        if (isAcceptance(behaviour)) response.once('finish', whenAccepted)
        response.writeHead(behaviour.status, behaviour.headers).end()
      }, behaviour.afterMs ?? 0)
      return
    case 'hang':
      return
    case 'reset':
      request.socket.resetAndDestroy()
      return
    case 'garbage':
      request.socket.end(GARBAGE)
      return
    case 'endless body':
      response.writeHead(200, { 'content-type': 'application/json' })
      whenAccepted()
      fill(response)
      return
  }
}

/** Writes until the reader closes the connection. */
function fill(response: ServerResponse): void {
  while (!response.destroyed && response.write(FILLER));
  if (!response.destroyed) response.once('drain', () => fill(response))
}
