const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = Buffer.from('\r\ncontent-length: ')
const STATUS_AT = 'HTTP/1.1 '.length
const ZERO = 0x30
const NINE = 0x39

/** One complete response at the start of some bytes. */
export interface CompleteResponse {
  readonly status: number
  readonly bodyStart: number
  /** Where the next response would begin. */
  readonly end: number
}

/**
 * Reads only what a load generator needs of a response: its status and where it ends. Undefined while it is
 * incomplete. Only for responses with a content-length, which the service always sends.
 */
export function readResponse(bytes: Buffer): CompleteResponse | undefined {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return undefined
  const lengthAt = bytes.indexOf(LENGTH)
  if (lengthAt === -1 || lengthAt > headEnd) throw new Error('a response has no content-length')
  const bodyStart = headEnd + HEAD_END.length
  const end = bodyStart + digitsAt(bytes, lengthAt + LENGTH.length)
  if (end > bytes.length) return undefined
  return { status: digitsAt(bytes, STATUS_AT), bodyStart, end }
}

function digitsAt(bytes: Buffer, start: number): number {
  let value = 0
  for (let index = start; index < bytes.length; index++) {
    const byte = bytes[index] ?? 0
    if (byte < ZERO || byte > NINE) return value
    value = value * 10 + byte - ZERO
  }
  return value
}
