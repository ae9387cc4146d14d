import type { Jwks, ServiceKeys } from '@batua/contract'
import { assert } from '../../kernel/assert.ts'
import type { SigningKey } from './signing-key.ts'

/** The service's public keys; `keys` has the one in use first. */
export function serviceKeysDocument(serviceName: string, keys: readonly SigningKey[]): ServiceKeys {
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
      // A key that begins later is published ahead, so that nobody meets its signatures before it.
      status: key.activeFrom >= inUse.activeFrom ? 'active' : 'retired',
    })),
  }
}

/** The same keys as RFC 7517 and RFC 8037 write them. */
export function jwksDocument(keys: readonly SigningKey[]): Jwks {
  return {
    keys: keys.map(key => ({
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(key.publicKey, 'base64').toString('base64url'),
      kid: key.id,
      alg: 'EdDSA',
      use: 'sig',
    })),
  }
}
