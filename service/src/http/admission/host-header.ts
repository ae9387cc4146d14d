import type { IncomingMessage } from 'node:http'
import { AppError } from '../../kernel/app-error.ts'

/** A name or an address, with or without a port (RFC 9110, section 7.2). A comma would separate two of them. */
const HOST = /^(?:[\w.~!$&'()*+;=%-]*|\[[\da-fA-F:.]+\])(?::\d*)?$/
const ABSOLUTE = /^([a-z][a-z\d+.-]*):\/\/([^/?#]*)/i

/**
 * Refuses a request that does not name its host exactly once; null: it does. Otherwise a proxy and this server could
 * route it to two different hosts (RFC 9112, section 3.2).
 */
export function hostProblem({
  rawHeaders,
  headers,
  httpVersion,
  url = '/',
}: IncomingMessage): AppError | null {
  let hosts = 0
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts++
  }
  const { host } = headers
  if (hosts > 1) return refused('A request must have the header Host once')
  if (host === undefined) {
    return httpVersion === '1.0' ? null : refused('A request in HTTP/1.1 needs the header Host')
  }
  if (!HOST.test(host)) return refused('The header Host must be a name or address with an optional port')
  return url.startsWith('/') ? null : absoluteProblem(url, host)
}

/** An address may name the host itself (RFC 9112, section 3.2.2). It must be the one of the header. */
function absoluteProblem(url: string, host: string): AppError | null {
  const [match, scheme = '', authority = ''] = ABSOLUTE.exec(url) ?? []
  // `*`, which asks about the server itself.
  if (match === undefined) return null
  const isWeb = /^https?$/i.test(scheme)
  if (isWeb && authority.toLowerCase() === host.toLowerCase()) return null
  return refused('The address names another host than the header Host; send its path alone')
}

function refused(message: string): AppError {
  return new AppError('validation_error', message)
}
