import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  hash,
  hkdfSync,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto'
import { assert } from './assert.ts'

const SECRET_BYTES = 32

/** A new secret that is shown once: `prefix` + base64url of 32 random bytes. */
export function newSecret(prefix: string): string {
  return prefix + randomBytes(SECRET_BYTES).toString('base64url')
}

/** The SHA-256 of a secret. The database stores a keyed hash instead: see `credentialHash`. */
export function hashSecret(secret: string): Buffer {
  return Buffer.from(hash('sha256', secret, 'hex'), 'hex')
}

export function sameHash(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}

/** Encryption at rest, MACs and keyed digests, all derived from the master key. */
export interface Vault {
  /** AES-256-GCM with a random nonce; `context` (table, column and row) is authenticated, so values cannot be moved. */
  encrypt(plaintext: string, context: string): Buffer
  decrypt(encrypted: Buffer, context: string): string
  /** A keyed digest for exact look-up of an encrypted value; different for each context. */
  blindIndex(plaintext: string, context: string): Buffer
  /** A 16-byte MAC over stored fields. Write access to the database is not enough to make one. */
  mac(text: string): Buffer
  /** The same MAC in hex, for bulk statements. */
  macHex(text: string): string
  /** The MAC of a row that decides about money (see db/row-mac.ts). */
  rowMac(text: string): Buffer
  /** The stored hash of a key, a platform's secret or a session's token. Access to the database is not enough to make one. */
  credentialHash(secret: string, kind: CredentialKind): Buffer
  /** The same hash, made of the SHA-256 of the secret, which earlier releases stored. */
  credentialHashOf(sha256: Buffer, kind: CredentialKind): Buffer
  /** Called for each row that failed verification. */
  readonly onAltered: (table: string, id: string, why: string) => void
}

export type CredentialKind = 'agents.key' | 'platforms.secret' | 'sessions.token' | 'oauth_records.id'

const BLOCK_BYTES = 64
const DIGEST_BYTES = 32
/** Longer texts are rare: many leaves of the audit log at once. */
const BUFFER_BYTES = 64 * 1024
/** Of one unit of a JavaScript string. */
const UTF8_BYTES_AT_MOST = 3

/**
 * HMAC-SHA256 (RFC 2104), cut to 16 bytes, in hex, by two one-shot hashes over reused buffers. Every payment makes one:
 * with new buffers it costs three times as much, with the library's own HMAC twice.
 */
function openMac(key: Buffer): (text: string) => string {
  const padded = Buffer.concat([key, Buffer.alloc(BLOCK_BYTES - key.length)])
  const inner = Buffer.concat([padded.map(byte => byte ^ 0x36), Buffer.alloc(BUFFER_BYTES)])
  const outer = Buffer.concat([padded.map(byte => byte ^ 0x5c), Buffer.alloc(DIGEST_BYTES)])
  const innerDigest = (text: string) => {
    if (text.length * UTF8_BYTES_AT_MOST > BUFFER_BYTES) {
      return hash('sha256', Buffer.concat([inner.subarray(0, BLOCK_BYTES), Buffer.from(text)]), 'latin1')
    }
    const length = inner.write(text, BLOCK_BYTES)
    return hash('sha256', inner.subarray(0, BLOCK_BYTES + length), 'latin1')
  }
  return text => {
    outer.write(innerDigest(text), BLOCK_BYTES, 'latin1')
    return hash('sha256', outer, 'hex').slice(0, MAC_BYTES * 2)
  }
}

const NONCE_BYTES = 12
const TAG_BYTES = 16
const MAC_BYTES = 16

export function openVault(masterKey: Buffer, onAltered: Vault['onAltered'] = () => undefined): Vault {
  assert(masterKey.length === 32, 'the master key has 32 bytes')
  const derive = (purpose: string) => Buffer.from(hkdfSync('sha256', masterKey, '', `batua/${purpose}`, 32))
  const encryptionKey = derive('encryption')
  const indexKey = derive('blind-index')
  const macHex = openMac(derive('seal'))
  const rowMacHex = openMac(derive('row-mac'))
  const credentialKey = derive('credentials')
  const credentialHashOf = (sha256: Buffer, kind: CredentialKind) =>
    createHmac('sha256', credentialKey).update(`${kind}\0`).update(sha256).digest()
  return {
    encrypt(plaintext, context) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', encryptionKey, nonce).setAAD(Buffer.from(context))
      const body = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), body])
    },
    decrypt(encrypted, context) {
      const nonce = encrypted.subarray(0, NONCE_BYTES)
      const tag = encrypted.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
      const decipher = createDecipheriv('aes-256-gcm', encryptionKey, nonce, { authTagLength: TAG_BYTES })
      decipher.setAAD(Buffer.from(context)).setAuthTag(tag)
      const body = encrypted.subarray(NONCE_BYTES + TAG_BYTES)
      return Buffer.concat([decipher.update(body), decipher.final()]).toString('utf8')
    },
    blindIndex: (plaintext, context) =>
      createHmac('sha256', indexKey).update(`${context}\0${plaintext}`).digest(),
    mac: text => Buffer.from(macHex(text), 'hex'),
    macHex,
    rowMac: text => Buffer.from(rowMacHex(text), 'hex'),
    credentialHash: (secret, kind) => credentialHashOf(hashSecret(secret), kind),
    credentialHashOf,
    onAltered,
  }
}
