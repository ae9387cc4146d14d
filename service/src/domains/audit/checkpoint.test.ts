import { createHash, createPublicKey, verify } from 'node:crypto'
import {
  type CheckpointKey,
  openCheckpoint,
  originOf,
  parseCheckpoint,
  signCheckpoint,
} from '@batua/verification/checkpoint'
import { expect, test } from 'vitest'
import { newKeyPair, privateKeyFromPem } from '../../kernel/signing.ts'

const ORIGIN = originOf('batua')
const HEAD = { size: 20_852_163, root: createHash('sha256').update('a root').digest() }

function newKey(): CheckpointKey {
  const { publicKey, privateKeyPem } = newKeyPair()
  return { publicKey, privateKey: privateKeyFromPem(privateKeyPem) }
}

test('a checkpoint is a signed note in the C2SP format, and verifies with node:crypto alone', () => {
  const key = newKey()
  const note = signCheckpoint(HEAD, ORIGIN, key)
  const [origin, size, root, empty, signed, end] = note.split('\n')
  expect([origin, size, root]).toEqual(['batua/audit', '20852163', HEAD.root.toString('base64')])
  expect([empty, end]).toEqual(['', ''])
  const [dash, name, encoded = ''] = (signed ?? '').split(' ')
  expect([dash, name]).toEqual(['\u2014', 'batua/audit'])

  const raw = Buffer.from(key.publicKey, 'base64')
  const bytes = Buffer.from(encoded, 'base64')
  const keyId = createHash('sha256').update('batua/audit\n\u0001').update(raw).digest().subarray(0, 4)
  expect(bytes.subarray(0, 4)).toEqual(keyId)
  const spki = Buffer.concat([Buffer.from('302a300506032b6570032100', 'hex'), raw])
  const text = Buffer.from(`${origin}\n${size}\n${root}\n`)
  const publicKey = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  expect(verify(null, text, publicKey, bytes.subarray(4))).toBe(true)
})

test('a checkpoint is accepted if any of the service’s keys signed it, and no other key', () => {
  const [old, current, stranger] = [newKey(), newKey(), newKey()]
  const keys = [current.publicKey, old.publicKey]
  for (const key of [old, current])
    expect(openCheckpoint(signCheckpoint(HEAD, ORIGIN, key), ORIGIN, keys)).toEqual(HEAD)
  expect(openCheckpoint(signCheckpoint(HEAD, ORIGIN, stranger), ORIGIN, keys)).toBeNull()
  expect(openCheckpoint(signCheckpoint(HEAD, 'other/audit', old), ORIGIN, keys)).toBeNull()
})

test('a signature under another name is refused, even if the log’s key made it', () => {
  const key = newKey()
  const signature = parseCheckpoint(signCheckpoint(HEAD, ORIGIN, key))?.signatures[0]?.signature
  const raw = Buffer.from(key.publicKey, 'base64')
  const keyId = createHash('sha256').update('other/audit\n\u0001').update(raw).digest().subarray(0, 4)
  const [text] = signCheckpoint(HEAD, ORIGIN, key).split('\n\n')
  const signed = Buffer.concat([keyId, signature ?? raw]).toString('base64')
  const note = `${text}\n\n\u2014 other/audit ${signed}\n`
  expect(parseCheckpoint(note)?.signatures).toHaveLength(1)
  expect(openCheckpoint(note, ORIGIN, [key.publicKey])).toBeNull()
})

test('a checkpoint with further signatures of others is accepted', () => {
  const key = newKey()
  const note = signCheckpoint(HEAD, ORIGIN, key)
  const witness = `\u2014 witness.example ${Buffer.alloc(76, 3).toString('base64')}\n`
  expect(openCheckpoint(note + witness, ORIGIN, [key.publicKey])).toEqual(HEAD)
  expect(parseCheckpoint(note + witness)?.signatures).toHaveLength(2)
})

test('a checkpoint is refused if any of its bytes was changed', () => {
  const key = newKey()
  const note = Buffer.from(signCheckpoint({ ...HEAD, size: 7 }, ORIGIN, key))
  for (const at of note.keys()) {
    for (const bit of [0x01, 0x10, 0x80]) {
      const flipped = Buffer.from(note)
      flipped[at] = (flipped[at] ?? 0) ^ bit
      expect(openCheckpoint(flipped.toString(), ORIGIN, [key.publicKey])).toBeNull()
    }
  }
  for (const cut of [0, 1, 20, note.length - 1])
    expect(openCheckpoint(note.subarray(0, cut).toString(), ORIGIN, [key.publicKey])).toBeNull()
})
