import type { Queryable } from '../../../db/database.ts'
import { isGenuine } from '../../../db/row-mac.ts'
import type { SessionKind } from '../../../http/admission/session-cookies.ts'
import type { AdminCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { sameHash } from '../../../kernel/secrets.ts'
import { PLATFORM_ROWS, selectSecretHash } from '../platforms/store.ts'
import type { SessionsContext } from './context.ts'
import {
  type FoundSession,
  selectAcceptedIds,
  selectSession,
  selectSessionByToken,
  sessionPhoneOf,
  updateLastUsed,
} from './store.ts'

/** A fixed prefix, so that secret scanners find tokens in logs and repositories. */
export const TOKEN_PREFIX = 'ses_live_'

/** Uses are noted once a minute, so that most requests write nothing. */
const NOTED_EVERY_MS = 60_000

type Authentication = Pick<SessionsContext, 'database' | 'clock' | 'vault' | 'adminPhones'>

/** Looks the session of a cookie up in the database each time, so that an ended session fails on every node. */
export function createSessionAuthenticators({ database, clock, vault, adminPhones }: Authentication) {
  const db = database.lookUps

  async function find(kind: SessionKind, token: string): Promise<FoundSession | null> {
    if (!token.startsWith(TOKEN_PREFIX)) return null
    const now = clock.now()
    const hash = vault.credentialHash(token, 'sessions.token')
    const session = await selectSessionByToken(db, vault, kind, hash, now)
    if (session !== null && isNotedLongAgo(session, now)) await updateLastUsed(db, session.id, now)
    return session
  }

  return {
    async owner(token: string): Promise<OwnerCaller | null> {
      const session = await find('owner', token)
      if (session === null) return null
      const ownerIds = await selectAcceptedIds(db, vault, session.phoneIndex)
      return { kind: 'owner', sessionId: session.id, ownerIds }
    },
    /** Administrators are listed in the configuration, so a phone removed from it is refused at the next request. */
    async admin(token: string): Promise<AdminCaller | null> {
      const session = await find('admin', token)
      if (session === null) return null
      const phone = vault.decrypt(session.phone, sessionPhoneOf(session.id))
      return adminPhones.includes(phone) ? { kind: 'admin', sessionId: session.id, phone } : null
    },
    /** A session ends with the secret that opened it. */
    async platformSession(token: string): Promise<PlatformCaller | null> {
      const session = await find('platform', token)
      if (session === null) return null
      const { id: sessionId, platformId, secretHash } = session
      const stored = await selectSecretHash(db, platformId)
      if (stored === null || !sameHash(stored.secretHash, secretHash)) return null
      if (!isGenuine(vault, PLATFORM_ROWS, platformId, stored)) return null
      return { kind: 'platform', platformId, sessionId }
    },
  }
}

function isNotedLongAgo({ lastUsedAt }: FoundSession, now: Date): boolean {
  return lastUsedAt === null || now.getTime() - lastUsedAt.getTime() >= NOTED_EVERY_MS
}

/** The session of a caller; it fails if another request ended the session after the cookie was checked. */
export async function readSession(
  db: Queryable,
  { sessionId }: OwnerCaller,
): Promise<{ readonly phone: Buffer; readonly phoneIndex: Buffer; readonly expiresAt: Date }> {
  const session = await selectSession(db, sessionId)
  if (session !== null) return session
  throw new AppError(
    'authentication_error',
    'The owner session is over; log in again (POST /v1/auth/send-otp)',
  )
}
