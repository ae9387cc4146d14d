import { createPublicKey, type KeyObject } from 'node:crypto'
import { assert } from '../../../kernel/assert.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { newKeyPair, privateKeyFromPem, publicKeyFromRaw } from '../../../kernel/signing.ts'
import type { SelectedKey, StoredKey } from './store.ts'

/** A key of the service as it is published. */
export interface ServiceKey {
  readonly id: string
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  readonly publicKeyObject: KeyObject
  readonly activeFrom: Date
  /** When the next key becomes active; null for the last key. */
  readonly retiredAt: Date | null
  /** The time since which the key may be compromised; null for a key that is not revoked. */
  readonly revokedAt: Date | null
  /** null for a revoked key: its private key is destroyed. */
  readonly privateKey: KeyObject | null
}

/** A key that the service signs with. */
export interface SigningKey extends ServiceKey {
  readonly privateKey: KeyObject
}

const ID_HEX_BYTES = 4
/** The text that replaces a revoked key's private key. */
const DESTROYED = 'revoked'

/** A new key pair as it is stored. Its id names its month and the first characters of its public key. */
export function newStoredKey(vault: Vault, now: Date, activeFrom: Date): StoredKey {
  const { publicKey, privateKeyPem } = newKeyPair()
  const id = `key_${now.toISOString().slice(0, 7)}_${beginningOf(publicKey)}`
  return encryptedKey(vault, { id, publicKey, activeFrom, revokedAt: null }, privateKeyPem)
}

/** The same key without its private key, which is no longer needed and can no longer be stolen from here. */
export function revokedKey(vault: Vault, key: StoredKey, revokedAt: Date): StoredKey {
  return encryptedKey(vault, { ...key, revokedAt }, DESTROYED)
}

/** The private key encrypted with its row's context; null when it already is. */
export function boundToRow(vault: Vault, key: StoredKey): StoredKey | null {
  const pem = decrypt(vault, key.privateKey, UNBOUND)
  return pem === null ? null : encryptedKey(vault, key, pem)
}

type KeyFields = Omit<StoredKey, 'privateKey'>

function encryptedKey(vault: Vault, key: KeyFields, text: string): StoredKey {
  return { ...key, privateKey: vault.encrypt(text, contextOf(key)) }
}

/** The encryption context of a row that was written before contexts named the row. */
const UNBOUND = 'signing_keys.private_key'

/** The encryption context covers every column: a row in which one was changed cannot be decrypted. */
function contextOf({ id, publicKey, activeFrom, revokedAt }: KeyFields): string {
  const since = revokedAt === null ? '' : timeText(revokedAt)
  return `${UNBOUND} ${id} ${publicKey} ${timeText(activeFrom)} ${since}`
}

/** PostgreSQL has timestamps that JavaScript dates cannot hold, such as infinity. Nothing is encrypted for those. */
function timeText(moment: Date): string {
  return moment instanceof Date && !Number.isNaN(moment.getTime()) ? moment.toISOString() : 'no date'
}

function decrypt(vault: Vault, encrypted: Buffer, context: string): string | null {
  try {
    return vault.decrypt(encrypted, context)
  } catch {
    return null
  }
}

function beginningOf(publicKey: string): string {
  return Buffer.from(publicKey, 'base64').subarray(0, ID_HEX_BYTES).toString('hex')
}

/** Decrypts the keys, which are in the order of their starts. A key whose row was changed stops the service. */
export function openKeys(vault: Vault, stored: readonly SelectedKey[]): ServiceKey[] {
  return stored.map((key, index) => openKey(vault, key, stored[index + 1]?.activeFrom ?? null))
}

function openKey(vault: Vault, stored: SelectedKey, retiredAt: Date | null): ServiceKey {
  const { id, publicKey, activeFrom, revokedAt } = stored
  const text = decrypt(vault, stored.privateKey, contextOf(stored))
  if (text === null)
    throw new Error(
      `MASTER_KEY is not the one that this database was made with, or the row of signing key ${id} was changed`,
    )
  assert(!stored.isRevokedInLog || revokedAt !== null, `signing key ${id} is revoked, as the log says`)
  assert(
    (text === DESTROYED) === (revokedAt !== null),
    `signing key ${id} has a private half until it is revoked`,
  )
  const publicKeyObject = publicKeyFromRaw(publicKey)
  assert(publicKeyObject !== null, `the public half of signing key ${id} is a key`)
  assert(id.endsWith(`_${beginningOf(publicKey)}`), `signing key ${id} has the id that it was made with`)
  const privateKey = revokedAt === null ? privateKeyFromPem(text) : null
  const belongs = privateKey === null || publicKeyObject.equals(createPublicKey(privateKey))
  assert(belongs, `the two halves of signing key ${id} belong together`)
  return { id, publicKey, publicKeyObject, privateKey, activeFrom, retiredAt, revokedAt }
}

/**
 * The key that signs a document of a given time: the key active at that time or, when that one is revoked, the first
 * key after it that is not revoked. `keys` is in the order of their starts; the first key has no start.
 */
export function keyInForce(keys: readonly ServiceKey[], moment: Date): SigningKey {
  const index = Math.max(
    keys.findLastIndex(({ activeFrom }) => activeFrom <= moment),
    0,
  )
  const key = keys.slice(index).find(isUsable)
  assert(key !== undefined, 'the service has a signing key')
  return key
}

function isUsable(key: ServiceKey): key is SigningKey {
  return key.privateKey !== null
}

/** All keys, the active one first, then the newest first. */
export function inUseFirst(keys: readonly ServiceKey[], now: Date): ServiceKey[] {
  const inUse = keyInForce(keys, now)
  return [inUse, ...keys.filter(key => key !== inUse).toReversed()]
}
