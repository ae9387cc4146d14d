import { createPublicKey, hash, verify } from 'node:crypto'
import type { Jwks, ResponseOf, routes, ServiceKeys } from '@batua/contract'
import canonicalize from 'canonicalize'
import { createLocalJWKSet, jwtVerify } from 'jose'

type Entry = ResponseOf<typeof routes.verifyAuditEntry>

/** Something that the service signed, both as canonical JSON and as a token. */
export interface SignedObject {
  readonly name: string
  readonly content: object
  readonly keyId: string
  readonly signature: string
  readonly token: string
  readonly typ: string
}

/** Signed bytes. A test changes them one by one. */
export interface SignedBytes {
  readonly text: Buffer
  readonly signature: Buffer
}

export function bytesOf({ content, signature }: SignedObject): SignedBytes {
  return { text: Buffer.from(canonicalize(content) ?? ''), signature: Buffer.from(signature, 'base64') }
}

/** Uses only node:crypto and a public key of `service-keys.json`. */
export function isSignedBy({ text, signature }: SignedBytes, { keys }: ServiceKeys, keyId: string): boolean {
  const x = Buffer.from(keys.find(key => key.key_id === keyId)?.public_key ?? '', 'base64').toString(
    'base64url',
  )
  const key = createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
  return verify(null, text, key, signature)
}

/** Uses only the jose library and `jwks.json`, as of the time of the signature. */
export async function acceptsToken(token: string, jwks: Jwks, typ: string, at: Date): Promise<boolean> {
  try {
    const keys = createLocalJWKSet({ keys: [...jwks.keys] })
    await jwtVerify(token, keys, { typ, algorithms: ['EdDSA'], issuer: 'batua', currentDate: at })
    return true
  } catch {
    return false
  }
}

/** Whether the proof of an audit entry leads to the root of its checkpoint (RFC 9162, section 2.1.3.2). */
export function leadsToRoot({ entry, leaf_index, inclusion_proof, checkpoint }: Entry): boolean {
  const { hash: _hash, ...content } = entry ?? { hash: '' }
  const [, size = '', root = ''] = (checkpoint ?? '').split('\n')
  let node = sha256(Buffer.of(0), Buffer.from(canonicalize(content) ?? ''))
  let [at, last] = [leaf_index ?? 0, Number(size) - 1]
  for (const sibling of inclusion_proof.map(hex => Buffer.from(hex, 'hex'))) {
    if (at % 2 === 1 || at === last) {
      node = sha256(Buffer.of(1), sibling, node)
      while (at % 2 === 0 && at > 0) [at, last] = [at / 2, Math.floor(last / 2)]
    } else {
      node = sha256(Buffer.of(1), node, sibling)
    }
    ;[at, last] = [Math.floor(at / 2), Math.floor(last / 2)]
  }
  return last === 0 && node.toString('base64') === root
}

const NOTE_KEY_BYTES = 4

/** The signed bytes of a checkpoint, by the rules of C2SP signed notes. */
export function bytesOfCheckpoint(note: string): SignedBytes {
  const [text = '', line = ''] = note.split('\n\n— ')
  const signed = Buffer.from(line.split(' ')[1] ?? '', 'base64')
  return { text: Buffer.from(`${text}\n`), signature: signed.subarray(NOTE_KEY_BYTES) }
}

/** Every copy of these bytes with one byte changed. */
export function* eachFlipped(bytes: Buffer): Generator<Buffer> {
  for (let index = 0; index < bytes.length; index++) {
    const copy = Buffer.from(bytes)
    copy[index] = (copy[index] ?? 0) ^ 1
    yield copy
  }
}

/** Every copy of a token with one byte changed, in its text or in its signature. The signature is changed as bytes,
 * because the last letter of base64url has unused bits.
 */
export function* eachTokenFlipped(token: string): Generator<string> {
  const end = token.lastIndexOf('.')
  const [text, signature] = [token.slice(0, end), token.slice(end + 1)]
  for (const flipped of eachFlipped(Buffer.from(text))) yield `${flipped.toString('latin1')}.${signature}`
  for (const flipped of eachFlipped(Buffer.from(signature, 'base64url'))) {
    yield `${text}.${flipped.toString('base64url')}`
  }
}

function sha256(...parts: readonly Buffer[]): Buffer {
  return hash('sha256', Buffer.concat(parts), 'buffer')
}
