import { createPublicKey, verify } from 'node:crypto'
import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { beforeEach, expect } from 'vitest'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { signObject } from '../../../kernel/signing.ts'
import { database, test } from '../../../testing/database-test.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import { jwksDocument, serviceKeysDocument } from './key-documents.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { newStoredKey } from './signing-key.ts'
import { openSigningKeys } from './signing-keys.ts'
import { insertKey, lockKeys } from './store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

let clock: Clock

beforeEach(async () => {
  await database.query('delete from signing_keys')
  clock = systemClock()
})

const context = () => ({ database, clock, vault: TEST_VAULT })
const open = () => openSigningKeys(context())

test('nodes that start at the same time share one key', async () => {
  const nodes = await Promise.all([open(), open(), open(), open()])
  const ids = await Promise.all(nodes.map(async keys => (await keys.current()).id))
  expect(new Set(ids).size).toBe(1)
  expect(ids[0]).toMatch(/^key_\d{4}-\d{2}_[0-9a-f]{8}$/)
  expect(await nodes[0]?.all()).toHaveLength(1)
})

test('a node that starts while another creates the first key waits for it and uses it', async () => {
  const now = clock.now()
  const made = newStoredKey(TEST_VAULT, now, now)
  const [late] = await database.inTransaction(async tx => {
    await lockKeys(tx)
    await insertKey(tx, made)
    const starting = open()
    await someoneWaitsForLock(database)
    return [starting]
  })
  expect((await late?.then(keys => keys.all()))?.map(key => key.id)).toEqual([made.id])
})

test('a restarted node uses the same key', async () => {
  const before = await (await open()).current()
  const after = await (await open()).current()
  expect(after.id).toBe(before.id)
  expect(after.privateKey.equals(before.privateKey)).toBe(true)
})

test('the private key is not readable in the table', async () => {
  const keys = await open()
  const { privateKey } = await keys.current()
  const [row] = await database.query<{ private_key: Buffer }>('select private_key from signing_keys')
  const raw = privateKey.export({ format: 'der', type: 'pkcs8' }).subarray(-32)
  expect(row?.private_key.includes(raw)).toBe(false)
  expect(row?.private_key.includes(Buffer.from(raw.toString('base64')))).toBe(false)
})

test('a public key that was changed in the table is never published', async () => {
  await open()
  const stranger = Buffer.alloc(32, 9).toString('base64')
  await database.query('update signing_keys set public_key = $1', [stranger])
  await expect(open()).rejects.toThrow('was changed')
})

test('a key whose id was changed in the table signs nothing under the new id', async () => {
  await open()
  await database.query(`update signing_keys set id = 'key_2026-11_00000000'`)
  await expect(open()).rejects.toThrow('was changed')
})

test('a new key becomes active a moment after it was published, on nodes that are already running', async () => {
  const keys = await open()
  const first = await keys.current()
  const made = await rotateSigningKey(context(), clock.now())

  clock.setOffsetMs(2_000)
  expect((await keys.current()).id).toBe(first.id)
  expect((await keys.all()).map(key => key.id)).toEqual([first.id, made.id])

  clock.setOffsetMs(DAY_MS)
  expect((await keys.current()).id).toBe(made.id)
  expect((await keys.all()).map(key => key.id)).toEqual([made.id, first.id])
})

test('a document dated before a rotation is signed with the old key', async () => {
  const keys = await open()
  const first = await keys.current()
  const made = await rotateSigningKey(context(), clock.now())
  clock.setOffsetMs(DAY_MS)
  expect((await keys.at(new Date(made.activeFrom.getTime() - 1))).id).toBe(first.id)
  expect((await keys.at(made.activeFrom)).id).toBe(made.id)
  expect((await keys.at(new Date(0))).id).toBe(first.id)
})

test('an unknown key id makes the service read the keys again at once', async () => {
  const keys = await open()
  const made = await rotateSigningKey(context(), clock.now())
  expect((await keys.byId(made.id))?.publicKey).toBe(made.publicKey)
  expect(await keys.byId('key_2020-01_00000000')).toBeNull()
})

test('the published key verifies a signature with nothing but node:crypto', async () => {
  const keys = await open()
  const { privateKey } = await keys.current()
  const { platform, algorithm, public_key } = serviceKeysDocument('batua', await keys.all())
  expect({ platform, algorithm }).toEqual({ platform: 'batua', algorithm: 'Ed25519' })
  const spki = Buffer.concat([
    Buffer.from('302a300506032b6570032100', 'hex'),
    Buffer.from(public_key, 'base64'),
  ])
  const published = createPublicKey({ key: spki, format: 'der', type: 'spki' })
  const signature = Buffer.from(signObject({ b: 1, a: 2 }, privateKey), 'base64')
  expect(verify(null, Buffer.from('{"a":2,"b":1}'), published, signature)).toBe(true)
})

test('the key set verifies tokens of every key that ever signed', async () => {
  const keys = await open()
  await rotateSigningKey(context(), clock.now())
  clock.setOffsetMs(DAY_MS)
  const all = await keys.all()
  const { keys: statuses } = serviceKeysDocument('batua', all)
  expect(statuses.map(({ status }) => status)).toEqual(['active', 'retired'])
  const published = createLocalJWKSet(jwksDocument(all))
  for (const { id, privateKey } of all) {
    const token = await new SignJWT({})
      .setProtectedHeader({ alg: 'EdDSA', kid: id })
      .sign(privateKey ?? expect.fail('no private half'))
    expect((await jwtVerify(token, published)).protectedHeader.kid).toBe(id)
  }
})
