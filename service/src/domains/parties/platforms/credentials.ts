import { SECRET_PREFIXES } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { isGenuine } from '../../../db/row-mac.ts'
import { sharedLookUp } from '../../../http/admission/shared-lookup.ts'
import type { Authenticators, MaybePromise, PlatformCaller } from '../../../http/caller.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { authenticateAgent } from '../agents/credentials.ts'
import { PLATFORM_ROWS, selectSecretHash } from './store.ts'

type StoredSecret = Awaited<ReturnType<typeof selectSecretHash>>

/**
 * The caller with this id and secret; a deleted platform has no secret. Platform ids are public, so only the digest is
 * compared in constant time.
 */
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
  // A secret whose row fails its MAC is refused.
  if (!isGenuine(vault, PLATFORM_ROWS, platformId, expected)) return null
  return { kind: 'platform', platformId }
}

/** Counts wrong secrets of existing platforms. */
export interface FailureSignals {
  failedPlatformAuthentication(platformId: Uuid): void
}

/** Looks each credential up in the database, so that rotated and revoked ones fail at once on every node. */
export function createAuthenticators(db: Queryable, vault: Vault, signals?: FailureSignals): Authenticators {
  // Concurrent requests share only the lookup of the stored hash, so every wrong secret is counted.
  const storedSecret = sharedLookUp((platformId: Uuid) => selectSecretHash(db, platformId))
  return {
    platform: (platformIdText, secret) =>
      authenticatePlatform(storedSecret, vault, platformIdText, secret, signals),
    agent: agentKey => authenticateAgent(db, vault, agentKey),
  }
}
