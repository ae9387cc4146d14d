import type { Jwks, ServiceKeys } from '@batua/contract'
import { assert } from '../../../kernel/assert.ts'
import type { ServiceKey } from './signing-key.ts'

/** The service's public keys; `keys` has the one in use first. */
export function serviceKeysDocument(serviceName: string, keys: readonly ServiceKey[]): ServiceKeys {
  const [inUse] = keys
  assert(inUse !== undefined, 'the service has a signing key')
  return {
    platform: serviceName,
    algorithm: 'Ed25519',
    public_key: inUse.publicKey,
    key_id: inUse.id,
    keys: keys.map(key => ({
      key_id: key.id,
      public_key: key.publicKey,
      status: statusOf(key, inUse),
      ...spanOf(key),
    })),
  }
}

function statusOf(key: ServiceKey, inUse: ServiceKey): ServiceKeys['keys'][number]['status'] {
  if (key.revokedAt !== null) return 'revoked'
  // A key that becomes active later is published ahead, so that verifiers know it before its first signature.
  return key.activeFrom >= inUse.activeFrom ? 'active' : 'retired'
}

function spanOf({ activeFrom, retiredAt, revokedAt }: ServiceKey) {
  return {
    active_from: activeFrom.toISOString(),
    retired_at: retiredAt?.toISOString() ?? null,
    revoked_at: revokedAt?.toISOString() ?? null,
  }
}

/** The same keys as RFC 7517 and RFC 8037 write them. A revoked key permits no operation to a JOSE library. */
export function jwksDocument(keys: readonly ServiceKey[]): Jwks {
  return {
    keys: keys.map(key => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(key.publicKey, 'base64').toString('base64url'),
      kid: key.id,
      alg: 'EdDSA',
      ...(key.revokedAt === null ? { use: 'sig' as const } : { key_ops: [] }),
      ...spanOf(key),
    })),
  }
}
