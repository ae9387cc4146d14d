import type { Authenticators } from '../../../../http/caller.ts'
import { ADMIN_COOKIE, TEST_ADMIN } from '../../../../testing/test-server.ts'

export const AS_ADMIN = { cookie: ADMIN_COOKIE, 'sec-fetch-site': 'same-origin' }

/** Nobody but the tests' administrator is known. */
export const SESSIONS_ONLY: Authenticators = {
  platform: () => null,
  agent: () => null,
  admin: token => (ADMIN_COOKIE.endsWith(`=${token}`) ? TEST_ADMIN : null),
}
