const LOOPBACK = /^(?:localhost|.+\.localhost|127(?:\.\d{1,3}){3}|\[::1\])$/
/** A host name or an IP address. A wildcard would include hosts that do not belong to the payee. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)*|\[[0-9a-f:.]+\])$/

/**
 * A web origin in normal form: lower case, an international name in ASCII, no trailing dot, no default port. null if it
 * is not an origin, has more parts than an origin, or is not https. http is accepted only for the local machine and
 * only with `allowsLoopback`.
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
  // An empty query or user info shows only in the text, not in the parsed URL.
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
