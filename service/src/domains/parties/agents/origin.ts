const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
/** A name or an address. A wildcard would name hosts that are not the payee's. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/

/**
 * A web origin in its one spelling: lower case, an international name in ASCII, no dot at its end, no port where it is the
 * scheme's own. Null when it is none, says more than an origin does, or is not https. http is taken of this machine alone
 * and only where `allowsLoopback` says so.
 */
export function normaliseOrigin(
  text: string,
  { allowsLoopback }: { allowsLoopback: boolean },
): string | null {
  const url = parsed(text)
  if (url === null) return null
  const { protocol, port, username, password, pathname, search, hash } = url
  const name = url.hostname.replace(/\.$/, '')
  if (!HOST.test(name) || username !== '' || password !== '') return null
  // An empty query or user info leaves its mark in the text alone.
  if (pathname !== '/' || search !== '' || hash !== '' || /[?#@\\\s]/.test(text)) return null
  const isSafe = protocol === 'https:' || (protocol === 'http:' && allowsLoopback && LOOPBACK.test(name))
  return isSafe ? `${protocol}//${name}${port === '' ? '' : `:${port}`}` : null
}

function parsed(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}
