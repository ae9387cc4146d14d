import { connect } from 'node:net'
import type { Reply } from './api.ts'

const PATIENCE_MS = 5_000

/** Sends bytes over a separate connection, and returns everything that was received until the server closed it. */
export function exchangeBytes(port: number, bytes: string | Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    const tooLong = setTimeout(() => socket.destroy(), PATIENCE_MS)
    socket.on('data', chunk => chunks.push(Buffer.from(chunk)))
    socket.on('close', () => {
      clearTimeout(tooLong)
      resolve(Buffer.concat(chunks).toString('utf8'))
    })
    // A request that is refused before it was read completely may be cut off; its response has arrived by then.
    socket.on('error', error => (chunks.length > 0 ? undefined : reject(error)))
  })
}

/** Sends the beginning of a request and closes its side; returns what was received. */
export function sendAndHangUp(port: number, bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    let response = ''
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes))
    socket.setEncoding('utf8').on('data', (text: string) => {
      response += text
    })
    socket.on('error', reject).on('close', () => resolve(response))
  })
}

/** Sends bytes and resets the connection. */
export function sendAndReset(port: number, bytes: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes, () => socket.resetAndDestroy()))
    socket.on('error', reject).on('close', () => resolve())
  })
}

/** An HTTP/1.1 request with `connection: close`; a body needs its headers in `headers`. */
export function requestText(requestLine: string, headers: readonly string[] = [], body = ''): string {
  return [requestLine, 'Host: localhost', 'Connection: close', ...headers, '', body].join('\r\n')
}

/** The responses in the text of one connection. */
export function repliesIn(text: string): Reply[] {
  return text
    .split(/(?=HTTP\/1\.1 \d{3} )/)
    .filter(part => part.startsWith('HTTP/1.1 ') && !part.startsWith('HTTP/1.1 100'))
    .map(part => {
      const [head = '', ...rest] = part.split('\r\n\r\n')
      const [statusLine = '', ...lines] = head.split('\r\n')
      const headers = new Headers(lines.map(line => splitOnce(line)))
      const body = rest.join('\r\n\r\n')
      return { status: Number(statusLine.split(' ')[1]), headers, text: body, body: parsed(body) }
    })
}

function splitOnce(line: string): [string, string] {
  const colon = line.indexOf(':')
  return [line.slice(0, colon), line.slice(colon + 1).trim()]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
