import type { Authenticators, PlatformCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { newSecret } from '../../../kernel/secrets.ts'
import { recordFacts } from '../../../operations/facts.ts'
import { selectSecretHash } from '../platforms/store.ts'
import { TOKEN_PREFIX } from './authenticate.ts'
import type { SessionsContext } from './context.ts'
import { startedFact } from './facts.ts'
import { encryptOpenedFrom, type OpenedFrom } from './opened-from.ts'
import { insertSession } from './store.ts'

/** Absolute, as for owners. */
export const PLATFORM_SESSION_MS = 12 * HOUR_MS

export interface PlatformLogIn {
  readonly platformId: string
  readonly secret: string
  readonly from: OpenedFrom
}

export interface NewPlatformSession {
  readonly platformId: Uuid
  /** The session token for the browser; only its hash is stored. */
  readonly token: string
  readonly expiresAt: Date
}

/** Creates a session for the right id and secret. The session holds the secret's hash, so it ends with the secret. */
export async function logInPlatform(
  { database, vault }: Pick<SessionsContext, 'database' | 'vault'>,
  authenticatePlatform: Authenticators['platform'],
  { platformId: written, secret, from }: PlatformLogIn,
  now: Date,
): Promise<NewPlatformSession> {
  const caller = await authenticatePlatform(written, secret)
  if (caller === null) throw wrong()
  const { platformId } = caller
  const token = newSecret(TOKEN_PREFIX)
  const expiresAt = new Date(now.getTime() + PLATFORM_SESSION_MS)
  await database.inTransaction(async tx => {
    const stored = await selectSecretHash(tx, platformId)
    // The platform was deleted since.
    if (stored === null) throw wrong()
    const id = newUuid(now)
    await insertSession(tx, vault, vault.credentialHash(token, 'sessions.token'), {
      id,
      audience: 'platform',
      platformId,
      secretHash: vault.credentialHash(secret, 'platforms.secret'),
      createdAt: now,
      expiresAt,
      openedFrom: encryptOpenedFrom(vault, id, from),
    })
    const holder: PlatformCaller = { kind: 'platform', platformId, sessionId: id }
    await recordFacts(tx, vault, now, [startedFact(holder, expiresAt)])
  })
  return { platformId, token, expiresAt }
}

function wrong(): AppError {
  return new AppError(
    'authentication_error',
    'The platform id or secret is wrong; enter both as they were issued',
  )
}
