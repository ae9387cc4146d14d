import { SECRET_PREFIXES } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { isGenuine } from '../../db/row-mac.ts'
import type { Authenticators, PlatformCaller } from '../../http/caller.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { sameHash, type Vault } from '../../kernel/secrets.ts'
import { authenticateAgent } from '../agents/index.ts'
import { PLATFORM_ROWS, selectSecretHash } from './store.ts'

/** Whose secret this is; a deleted platform has none. Platform ids are no secret, so only the digest is compared in constant time. */
export async function authenticatePlatform(
  db: Queryable,
  vault: Vault,
  platformIdText: string,
  secret: string,
  signals?: FailureSignals,
): Promise<PlatformCaller | null> {
  const platformId = parseId('plt', platformIdText)
  if (platformId === null || !secret.startsWith(SECRET_PREFIXES.platformSecret)) return null
  const expected = await selectSecretHash(db, platformId)
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
  return {
    platform: (platformIdText, secret) => authenticatePlatform(db, vault, platformIdText, secret, signals),
    agent: agentKey => authenticateAgent(db, vault, agentKey),
  }
}
