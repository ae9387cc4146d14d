import { SECRET_PREFIXES } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { isGenuine } from '../../../db/row-mac.ts'
import type { Authenticators, MaybePromise, PlatformCaller } from '../../../http/caller.ts'
import { sharedLookUp } from '../../../http/shared-lookup.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { authenticateAgent } from '../agents/credentials.ts'
import { PLATFORM_ROWS, selectSecretHash } from './store.ts'

type StoredSecret = Awaited<ReturnType<typeof selectSecretHash>>

/** Whose secret this is; a deleted platform has none. Platform ids are no secret, so only the digest is compared in constant time. */
async function authenticatePlatform(
  storedSecret: (platformId: Uuid) => MaybePromise<StoredSecret>,
  vault: Vault,
  platformIdText: string,
  secret: string,
  signals?: FailureSignals,
): Promise<PlatformCaller | null> {
  const platformId = parseId('plt', platformIdText)
  if (platformId === null || !secret.startsWith(SECRET_PREFIXES.platformSecret)) return null
  const expected = await storedSecret(platformId)
  if (expected === null) return null
  if (!sameHash(expected.secretHash, vault.credentialHash(secret, 'platforms.secret'))) {
    signals?.failedPlatformAuthentication(platformId)
    return null
  }
  // A secret that was written into the row by hand is nobody's.
  if (!isGenuine(vault, PLATFORM_ROWS, platformId, expected)) return null
  return { kind: 'platform', platformId }
}

/** Where wrong secrets of platforms that exist are counted. */
export interface FailureSignals {
  failedPlatformAuthentication(platformId: Uuid): void
}

/** Who belongs to a credential, asked of the database each time: what was rotated or ended fails at once, everywhere. */
export function createAuthenticators(db: Queryable, vault: Vault, signals?: FailureSignals): Authenticators {
  // What is shared is the stored hash: each wrong secret counts by itself, also of many that come at once.
  const storedSecret = sharedLookUp((platformId: Uuid) => selectSecretHash(db, platformId))
  return {
    platform: (platformIdText, secret) =>
      authenticatePlatform(storedSecret, vault, platformIdText, secret, signals),
    agent: agentKey => authenticateAgent(db, vault, agentKey),
  }
}
