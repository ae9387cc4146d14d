export const NOT_PUBLIC = 'The address is not public'
export const NOT_HTTPS = 'The address is not an https one'
export const UNRESOLVED = 'The name of the host could not be resolved'

const BROKE = 'The connection broke before a response'
const UNREACHABLE = 'The host could not be reached'
const NO_HTTP = 'The response is not valid HTTP'
const TOO_LONG = 'The response is too long'
const NO_TLS = 'No TLS connection could be made'
const BAD_CERTIFICATE = 'The TLS certificate is not valid'

/** Why no connection was made; its message is a sentence for the platform's developers. */
export class NotConnected extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'NotConnected'
  }
}

/** The receiver sent more than the limit for a response. */
export class ResponseTooLong extends Error {
  constructor() {
    super(TOO_LONG)
    this.name = 'ResponseTooLong'
  }
}

const SENTENCES: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'Nobody listens at this address',
  EHOSTUNREACH: UNREACHABLE,
  ENETUNREACH: UNREACHABLE,
  EADDRNOTAVAIL: UNREACHABLE,
  EINVAL: UNREACHABLE,
  EACCES: UNREACHABLE,
  EPERM: UNREACHABLE,
  ETIMEDOUT: UNREACHABLE,
  EPROTO: NO_TLS,
  UND_ERR_HEADERS_OVERFLOW: 'The headers of the response are too long',
  UND_ERR_RES_CONTENT_LENGTH_MISMATCH: NO_HTTP,
  HOSTNAME_MISMATCH: BAD_CERTIFICATE,
  DEPTH_ZERO_SELF_SIGNED_CERT: BAD_CERTIFICATE,
  SELF_SIGNED_CERT_IN_CHAIN: BAD_CERTIFICATE,
  INVALID_CA: BAD_CERTIFICATE,
  INVALID_PURPOSE: BAD_CERTIFICATE,
}

const BEGINNINGS: readonly (readonly [string, string])[] = [
  ['CERT_', BAD_CERTIFICATE],
  ['UNABLE_TO_', BAD_CERTIFICATE],
  ['ERR_TLS_CERT_', BAD_CERTIFICATE],
  ['ERR_TLS_', NO_TLS],
  ['ERR_SSL_', NO_TLS],
]

/** Why there was no response, as a text of our own: the error's text may name addresses or quote the receiver. */
export function noResponseError(error: unknown): string {
  if (error instanceof NotConnected || error instanceof ResponseTooLong) return error.message
  if (error instanceof Error && error.name === 'HTTPParserError') return NO_HTTP
  const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
  if (typeof code !== 'string') return BROKE
  return SENTENCES[code] ?? BEGINNINGS.find(([beginning]) => code.startsWith(beginning))?.[1] ?? BROKE
}
