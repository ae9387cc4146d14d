import { createPublicKey, type KeyObject } from 'node:crypto'
import { assert } from '../../kernel/assert.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { newKeyPair, privateKeyFromPem, publicKeyFromRaw } from '../../kernel/signing.ts'
import type { StoredKey } from './store.ts'

/** A key pair of the service. What it signed stays good when it signs no more. */
export interface SigningKey {
  readonly id: string
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  readonly publicKeyObject: KeyObject
  readonly privateKey: KeyObject
  readonly activeFrom: Date
}

const PRIVATE_KEY_COLUMN = 'signing_keys.private_key'
const ID_HEX_BYTES = 4

/** A key pair that has never signed, as it is stored; its id tells its month and the beginning of its public key. */
export function newStoredKey(vault: Vault, now: Date, activeFrom: Date): StoredKey {
  const { publicKey, privateKeyPem } = newKeyPair()
  return {
    id: `key_${now.toISOString().slice(0, 7)}_${beginningOf(publicKey)}`,
    publicKey,
    privateKey: vault.encrypt(privateKeyPem, PRIVATE_KEY_COLUMN),
    activeFrom,
  }
}

function beginningOf(publicKey: string): string {
  return Buffer.from(publicKey, 'base64').subarray(0, ID_HEX_BYTES).toString('hex')
}

/**
 * The private key is sealed with the master key, so it vouches for the public one beside it, which is not, and that for
 * the id: what was signed names a key by it for ever.
 */
export function openKey(vault: Vault, { id, publicKey, privateKey, activeFrom }: StoredKey): SigningKey {
  const key = privateKeyFromPem(decryptKey(vault, privateKey))
  const publicKeyObject = publicKeyFromRaw(publicKey)
  const belongs = publicKeyObject?.equals(createPublicKey(key)) ?? false
  assert(publicKeyObject !== null && belongs, `the two halves of signing key ${id} belong together`)
  assert(id.endsWith(`_${beginningOf(publicKey)}`), `signing key ${id} has the id that it was made with`)
  return { id, publicKey, publicKeyObject, privateKey: key, activeFrom }
}

function decryptKey(vault: Vault, sealed: Buffer): string {
  try {
    return vault.decrypt(sealed, PRIVATE_KEY_COLUMN)
  } catch (error) {
    throw new Error('MASTER_KEY is not the one that this database was made with', { cause: error })
  }
}

/** The key that signs what happened at a moment. `keys` is in the order of their beginnings; the first has no start. */
export function keyInForce(keys: readonly SigningKey[], moment: Date): SigningKey {
  const key = keys.findLast(({ activeFrom }) => activeFrom <= moment) ?? keys[0]
  assert(key !== undefined, 'the service has a signing key')
  return key
}

/** All keys, the one in use first, then the newest. */
export function inUseFirst(keys: readonly SigningKey[], now: Date): SigningKey[] {
  const inUse = keyInForce(keys, now)
  return [inUse, ...keys.filter(key => key !== inUse).toReversed()]
}
