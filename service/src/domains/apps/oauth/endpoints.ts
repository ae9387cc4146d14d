/** Owners have 15 minutes to log in and to decide. */
export const REQUEST_S = 15 * 60

/** Whose the app is, its row says. The library knows one account, so that no login of another kind can be mixed in. */
export const ACCOUNT = 'owner'

export const OAUTH_ROUTES = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  registration: '/oauth/register',
  revocation: '/oauth/revoke',
  jwks: '/oauth/jwks',
} as const

/** The header in which the route passes the network of a registering client to the library. */
export const NETWORK_HEADER = 'x-client-network'

/** The resource that tokens are for (RFC 8707). */
export function resourceOf(baseUrl: string): string {
  return `${new URL(baseUrl).origin}/mcp`
}
