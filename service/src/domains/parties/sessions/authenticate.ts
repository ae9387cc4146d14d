import type { Queryable } from '../../../db/database.ts'
import type { AdminCaller, OwnerCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { SessionsContext } from './context.ts'
import { TOKEN_PREFIX } from './log-in.ts'
import {
  type Session,
  selectAdminSession,
  selectOwnerSession,
  selectSession,
  sessionPhoneOf,
} from './store.ts'

type Authentication = Pick<SessionsContext, 'database' | 'clock' | 'vault' | 'adminPhones'>

/** Looks the session of a cookie up in the database each time, so that an ended session fails on every node. */
export function createSessionAuthenticators({ database, clock, vault, adminPhones }: Authentication) {
  const hashOf = (token: string) => vault.credentialHash(token, 'sessions.token')
  return {
    async owner(token: string): Promise<OwnerCaller | null> {
      if (!token.startsWith(TOKEN_PREFIX)) return null
      const session = await selectOwnerSession(database.authentication, vault, hashOf(token), clock.now())
      if (session === null) return null
      return { kind: 'owner', sessionId: session.id, ownerIds: session.ownerIds }
    },
    /** Administrators are listed in the configuration, so a phone removed from it is refused at the next request. */
    async admin(token: string): Promise<AdminCaller | null> {
      if (!token.startsWith(TOKEN_PREFIX)) return null
      const session = await selectAdminSession(database.authentication, vault, hashOf(token), clock.now())
      if (session === null) return null
      const phone = vault.decrypt(session.phone, sessionPhoneOf(session.id))
      return adminPhones.includes(phone) ? { kind: 'admin', sessionId: session.id, phone } : null
    },
  }
}

/** The session of a caller; null if another request ended it after the cookie was checked. */
export async function readSession(
  db: Queryable,
  { sessionId }: OwnerCaller,
): Promise<Pick<Session, 'phone' | 'phoneIndex' | 'expiresAt'>> {
  const session = await selectSession(db, sessionId)
  if (session !== null) return session
  throw new AppError(
    'authentication_error',
    'The owner session is over; log in again (POST /v1/auth/send-otp)',
  )
}
