import { hash, type KeyObject, sign, verify } from 'node:crypto'
import { bytesOfBase64 } from './base64.ts'
import { publicKeyFromRaw } from './signatures.ts'
import { HASH_BYTES } from './tree-hashes.ts'

/** The head of the tree at one moment: how many leaves, and their root. */
export interface TreeHead {
  readonly size: number
  readonly root: Buffer
}

/** The key that signs, its public half as the base64 of its 32 raw bytes. */
export interface CheckpointKey {
  readonly publicKey: string
  readonly privateKey: KeyObject
}

/** A parsed checkpoint; its signatures are not verified. */
export interface ParsedCheckpoint extends TreeHead {
  readonly origin: string
  /** The signed text: everything up to the empty line, with its last line break. */
  readonly text: string
  readonly signatures: readonly NoteSignature[]
}

export interface NoteSignature {
  readonly name: string
  /** Four bytes that identify a key of that name. */
  readonly keyId: Buffer
  readonly signature: Buffer
}

const ED25519 = Buffer.of(1)
const KEY_ID_BYTES = 4
const SIGNATURE_BYTES = 64
const SIGNATURE_START = '— '

/** The name of this service's log, and of the keys that sign its checkpoints. */
export function originOf(serviceName: string): string {
  return `${serviceName}/audit`
}

/** A tree head as a signed note (C2SP tlog-checkpoint and signed-note). The same head and key give the same note. */
export function signCheckpoint({ size, root }: TreeHead, origin: string, key: CheckpointKey): string {
  const text = `${origin}\n${size}\n${root.toString('base64')}\n`
  const signature = sign(null, Buffer.from(text), key.privateKey)
  const signed = Buffer.concat([keyIdOf(origin, key.publicKey), signature]).toString('base64')
  return `${text}\n${SIGNATURE_START}${origin} ${signed}\n`
}

/** The key id of an Ed25519 key in a signed note. */
function keyIdOf(name: string, publicKey: string): Buffer {
  const named = [Buffer.from(`${name}\n`), ED25519, Buffer.from(publicKey, 'base64')]
  return hash('sha256', Buffer.concat(named), 'buffer').subarray(0, KEY_ID_BYTES)
}

/**
 * Parses a note; null unless it is exactly a checkpoint, with canonical base64. Others may have signed it too, with
 * other types of signatures.
 */
export function parseCheckpoint(note: string): ParsedCheckpoint | null {
  const end = note.lastIndexOf('\n\n')
  if (end < 0 || !note.endsWith('\n')) return null
  const text = note.slice(0, end + 1)
  const [origin, sizeText, rootText] = text.split('\n')
  const size = sizeFrom(sizeText ?? '')
  const root = bytesOfBase64(rootText ?? '')
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map(signatureFrom)
  if (origin === undefined || origin === '' || size === null || root?.length !== HASH_BYTES) return null
  if (!signatures.every(signature => signature !== null)) return null
  return { origin, size, root, text, signatures }
}

/**
 * The head of a checkpoint of this log; null if none of `keys` has signed it. `keys` are the accepted public keys of the
 * service, in base64, retired ones included.
 */
export function openCheckpoint(note: string, origin: string, keys: readonly string[]): TreeHead | null {
  const checkpoint = parseCheckpoint(note)
  if (checkpoint === null || checkpoint.origin !== origin) return null
  const text = Buffer.from(checkpoint.text)
  const isSigned = checkpoint.signatures.some(
    ({ name, keyId, signature }) =>
      name === origin &&
      keys.some(key => keyIdOf(name, key).equals(keyId) && isSignedBy(text, signature, key)),
  )
  return isSigned ? { size: checkpoint.size, root: checkpoint.root } : null
}

function isSignedBy(text: Buffer, signature: Buffer, publicKey: string): boolean {
  const key = publicKeyFromRaw(publicKey)
  return key !== null && signature.length === SIGNATURE_BYTES && verify(null, text, key, signature)
}

function sizeFrom(text: string): number | null {
  const size = /^(0|[1-9][0-9]*)$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(size) ? size : null
}

function signatureFrom(line: string): NoteSignature | null {
  if (!line.startsWith(SIGNATURE_START)) return null
  const [name, signed, ...more] = line.slice(SIGNATURE_START.length).split(' ')
  const bytes = bytesOfBase64(signed ?? '')
  if (name === undefined || name === '' || more.length > 0) return null
  if (bytes === null || bytes.length <= KEY_ID_BYTES) return null
  return { name, keyId: bytes.subarray(0, KEY_ID_BYTES), signature: bytes.subarray(KEY_ID_BYTES) }
}
