const HEAD_END = Buffer.from('\r\n\r\n')
const LENGTH = /\r\ncontent-length: *(\d+)/i

/** One complete request at the start of some bytes. */
export interface WholeRequest {
  readonly head: string
  readonly body: Buffer
  /** Where the next request would begin. */
  readonly end: number
}

/** Reads a request with a content-length; one without it is `unreadable`. */
export function readRequest(bytes: Buffer): WholeRequest | 'partial' | 'unreadable' {
  const headEnd = bytes.indexOf(HEAD_END)
  if (headEnd === -1) return 'partial'
  const head = bytes.toString('latin1', 0, headEnd)
  const length = LENGTH.exec(head)?.[1]
  if (length === undefined) return 'unreadable'
  const bodyStart = headEnd + HEAD_END.length
  const end = bodyStart + Number(length)
  if (end > bytes.length) return 'partial'
  return { head, body: bytes.subarray(bodyStart, end), end }
}

/** The headers of a request by their names in lower case. */
export function headersOf(head: string): Record<string, string> {
  const [, ...lines] = head.split('\r\n')
  return Object.fromEntries(
    lines.map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()]
    }),
  )
}
