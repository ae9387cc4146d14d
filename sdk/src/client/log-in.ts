import { call } from './call.ts'
import { type Client, connectionOf, createClient, optionsOf } from './client.ts'
import type { CallOptions, ClientOptions } from './options.ts'
import { ownError } from './own-error.ts'

const SESSIONS = {
  owner: { operation: 'verifyOtp', cookie: 'service_session', option: 'sessionToken' },
  admin: { operation: 'verifyAdminOtp', cookie: 'service_admin_session', option: 'adminSessionToken' },
} as const

const SETTINGS = ['baseUrl', 'fetch', 'timeoutMs', 'maxRetries', 'onRetry'] as const

/**
 * Logs in with the code that `sendOtp` (or `sendAdminOtp`) sent to the phone, and returns a client with that session
 * and no other credential; `totp` is an administrator's second factor. Not for browsers: there `verifyOtp` makes the
 * browser keep the session.
 */
export async function logIn(
  client: Client,
  { phone, code, totp }: { readonly phone: string; readonly code: string; readonly totp?: string },
  as: 'owner' | 'admin' = 'owner',
  options: CallOptions = {},
): Promise<Client> {
  const { operation, cookie, option } = SESSIONS[as]
  const settings = settingsOf(optionsOf(client))
  const { headers } = await call(
    connectionOf(settings),
    operation,
    { phone, code, ...(totp === undefined ? {} : { totp }) },
    options,
  )
  const token = tokenIn(headers.getSetCookie(), cookie)
  // A response that is repeated under its key has none.
  if (token === null) throw ownError('invalid_response', 'No session came along; ask for a new code')
  return createClient({ ...settings, [option]: token })
}

function settingsOf(options: ClientOptions): ClientOptions {
  const given = SETTINGS.filter(name => options[name] !== undefined).map(name => [name, options[name]])
  return Object.fromEntries(given) as ClientOptions
}

function tokenIn(cookies: readonly string[], name: string): string | null {
  const found = cookies.find(cookie => cookie.startsWith(`${name}=`))
  return found?.slice(name.length + 1).split(';')[0] || null
}
