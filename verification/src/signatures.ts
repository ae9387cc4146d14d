import { createPublicKey, type KeyObject, verify } from 'node:crypto'
import canonicalize from 'canonicalize'
import { bytesOfBase64 } from './base64.ts'

/** RFC 8785 canonical JSON, the bytes under every signature of the service. */
export function canonicalJson(value: object): string {
  const text = canonicalize(value)
  if (text === undefined) throw new Error('assertion failed: an object has a canonical form')
  return text
}

const SPKI_PREFIX = Buffer.from('302a300506032b6570032100', 'hex')
const RAW_KEY_BYTES = 32

/** The key object of a raw base64 public key, or null when it is not 32 bytes of canonical base64. */
export function publicKeyFromRaw(base64: string): KeyObject | null {
  const raw = bytesOfBase64(base64)
  if (raw?.length !== RAW_KEY_BYTES) return null
  return createPublicKey({ key: Buffer.concat([SPKI_PREFIX, raw]), format: 'der', type: 'spki' })
}

/** Whether a key signed the canonical JSON of `value` with Ed25519. */
export function verifyObject(value: object, signature: string, publicKey: KeyObject): boolean {
  return verify(null, Buffer.from(canonicalJson(value)), publicKey, Buffer.from(signature, 'base64'))
}
