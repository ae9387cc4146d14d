import type { IncomingMessage, ServerResponse } from 'node:http'

/** What a receiver does with a request. Only an answer of 2xx says that it has the event. */
export type Behaviour =
  | {
      readonly kind: 'answer'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly afterMs?: number
    }
  /** Reads all and never answers. */
  | { readonly kind: 'hang' }
  | { readonly kind: 'reset'; readonly when: 'before reading' | 'after reading' }
  /** Answers what is no HTTP. */
  | { readonly kind: 'garbage' }
  /** Answers 200 and a body that has no end. */
  | { readonly kind: 'endless body' }

export const OK: Behaviour = { kind: 'answer', status: 200 }
export const HANG: Behaviour = { kind: 'hang' }

export function answer(status: number, headers: Readonly<Record<string, string>> = {}): Behaviour {
  return { kind: 'answer', status, headers }
}

/** Whether a sender that hears this has delivered. */
function isAcceptance(behaviour: Behaviour): boolean {
  if (behaviour.kind === 'endless body') return true
  return behaviour.kind === 'answer' && behaviour.status >= 200 && behaviour.status < 300
}

const GARBAGE = Buffer.from([0x16, 0x03, 0x01, 0x00, 0xff, 0x0a, 0x0d, 0x48, 0x54, 0x54, 0x50, 0x2f, 0x00])
const FILLER = Buffer.alloc(64 * 1024, 'x')

/** Does it, once the request was read; `whenAccepted` is called when an acceptance has gone out. */
export function behave(
  behaviour: Behaviour,
  request: IncomingMessage,
  response: ServerResponse,
  whenAccepted: () => void,
): void {
  switch (behaviour.kind) {
    case 'answer':
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

/** Writes for as long as anybody reads. */
function fill(response: ServerResponse): void {
  while (!response.destroyed && response.write(FILLER));
  if (!response.destroyed) response.once('drain', () => fill(response))
}
