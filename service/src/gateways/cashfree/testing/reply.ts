/** What the stand-in returns: a status and a body, in which amounts and ids may be written as raw JSON. */
export interface Reply {
  readonly status: number
  readonly body: unknown
}

export function ok(body: unknown, status = 200): Reply {
  return { status, body }
}

export function refused(status: number, code: string, type = 'invalid_request_error'): Reply {
  // The real one quotes what was sent, personal data included: a caller must not pass that on.
  return { status, body: { message: `${code}: value received: 9876543210 026291800001191`, code, type } }
}

/** A request as the stand-in sees it: numbers in the body are text, exactly as they were sent. */
export interface Incoming {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: Fields
  /** The body's own bytes. */
  readonly text: string
}

export type Fields = Readonly<Record<string, unknown>>

export type Handler = (request: Incoming) => Reply | null

/** An amount or an id as a bare JSON number, with all its digits. */
export function bare(text: string): unknown {
  return JSON.rawJSON(text)
}
