import type { Socket } from 'node:net'
import { AppError } from '../kernel/app-error.ts'
import { envelopeOf } from './errors.ts'

/** Responds to malformed request lines, too large headers and incomplete requests, which Node never makes requests of. */
export function clientErrorHandler(
  newRequestId: () => string,
): (error: NodeJS.ErrnoException, socket: Socket) => void {
  return (error, socket) => {
    if (error.code === 'ECONNRESET' || socket.destroyed) return
    const [statusLine, message] = complaint(error.code)
    refuseOnSocket(socket, statusLine, new AppError('validation_error', message), newRequestId())
  }
}

/** Writes an error envelope to a connection without a parsed request, and ends it. */
export function refuseOnSocket(socket: Socket, statusLine: string, error: AppError, requestId: string): void {
  if (socket.writable) socket.write(responseTo(statusLine, error, requestId))
  socket.destroySoon()
}

function responseTo(statusLine: string, error: AppError, requestId: string): string {
  const body = JSON.stringify(envelopeOf(error, requestId))
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
