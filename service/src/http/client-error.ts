import type { Socket } from 'node:net'
import { AppError } from '../kernel/app-error.ts'
import { envelopeOf } from './errors.ts'

/** Answers what never became a request: bad request lines, too large headers, requests that do not end. */
export function clientErrorHandler(
  newRequestId: () => string,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    if (socket.writable) socket.write(responseTo(error.code, newRequestId()))
    socket.destroySoon()
  }
}

function responseTo(code: string | undefined, requestId: string): string {
  const [statusLine, message] = complaint(code)
  const body = JSON.stringify(envelopeOf(new AppError('validation_error', message), requestId))
  return [
    `HTTP/1.1 ${statusLine}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${requestId}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n')
}

function complaint(code: string | undefined): readonly [string, string] {
  switch (code) {
    case 'HPE_HEADER_OVERFLOW':
      return ['400 Bad Request', 'The address and headers are larger than 16 KiB together; send less']
    case 'ERR_HTTP_REQUEST_TIMEOUT':
      return ['408 Request Timeout', 'The request did not arrive in time; send it again']
    default:
      return ['400 Bad Request', 'This is not a valid HTTP request']
  }
}
