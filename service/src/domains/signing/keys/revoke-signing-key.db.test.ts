import { createLocalJWKSet, jwtVerify, SignJWT } from 'jose'
import { beforeEach, expect } from 'vitest'
import { type Clock, DAY_MS, systemClock } from '../../../kernel/clock.ts'
import { database, test } from '../../../testing/database-test.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { jwksDocument, serviceKeysDocument } from './key-documents.ts'
import { revokeSigningKey } from './revoke-signing-key.ts'
import { rotateSigningKey } from './rotate-signing-key.ts'
import { openSigningKeys } from './signing-keys.ts'

let clock: Clock

beforeEach(async () => {
  await database.query('delete from signing_keys')
  clock = systemClock()
})

const context = () => ({ database, clock, vault: TEST_VAULT })
const open = () => openSigningKeys(context())
const revoke = (keyId: string, revokedAt = clock.now()) =>
  revokeSigningKey(context(), clock.now(), { keyId, revokedAt })

test('every published key names the span in which it signs, and when it was revoked', async () => {
  const keys = await open()
  const first = await keys.current()
  const second = await rotateSigningKey(context(), clock.now())
  clock.setOffsetMs(DAY_MS)
  const stolenAt = new Date(second.activeFrom.getTime() + 1_000)
  const third = await revoke(second.id, stolenAt)
  clock.setOffsetMs(DAY_MS + 2_000)
  const all = await keys.all()
  const span = (from: Date, retired: Date | null, revoked: Date | null) => ({
    active_from: from.toISOString(),
    retired_at: retired?.toISOString() ?? null,
    revoked_at: revoked?.toISOString() ?? null,
  })
  const thirdFrom = third?.activeFrom ?? expect.fail('a key takes its place')
  const expected = [
    { key_id: third?.id, status: 'active', ...span(thirdFrom, null, null) },
    { key_id: second.id, status: 'revoked', ...span(second.activeFrom, thirdFrom, stolenAt) },
    { key_id: first.id, status: 'retired', ...span(first.activeFrom, second.activeFrom, null) },
  ]
  expect(serviceKeysDocument('batua', all).keys).toMatchObject(expected)
  expect(jwksDocument(all).keys).toMatchObject(
    expected.map(({ key_id, status: _status, ...rest }) => ({ kid: key_id, ...rest })),
  )
})

test('a JOSE library verifies nothing with a revoked key', async () => {
  const keys = await open()
  const stolen = await keys.current()
  const token = await new SignJWT({})
    .setProtectedHeader({ alg: 'EdDSA', kid: stolen.id })
    .sign(stolen.privateKey)
  await revoke(stolen.id)
  clock.setOffsetMs(2_000)
  const published = createLocalJWKSet({ keys: jwksDocument(await keys.all()).keys.map(key => ({ ...key })) })
  await expect(jwtVerify(token, published)).rejects.toThrow('no applicable key found')
})

test('running nodes sign with another key within a second, for old dates as well', async () => {
  const keys = await open()
  const stolen = await keys.current()
  const made = await revoke(stolen.id)
  clock.setOffsetMs(1_001)
  expect((await keys.current()).id).toBe(made?.id)
  expect((await keys.at(new Date(0))).id).toBe(made?.id)
  expect((await keys.byId(stolen.id))?.privateKey).toBeNull()
})

test('the private key of a revoked key is deleted from the database', async () => {
  const keys = await open()
  const stolen = await keys.current()
  await revoke(stolen.id)
  await database.query(`update signing_keys set revoked_at = null where id = $1`, [stolen.id])
  await expect(open()).rejects.toThrow('was changed')
})

test('the service does not start when a key’s row was restored to its state before the revocation', async () => {
  const keys = await open()
  const stolen = await keys.current()
  const copy = `create table kept_keys as select * from signing_keys`
  await database.query(copy)
  await revoke(stolen.id)
  await database.query('delete from signing_keys where id = $1', [stolen.id])
  await database.query('insert into signing_keys select * from kept_keys')
  await database.query('drop table kept_keys')
  await expect(open()).rejects.toThrow('is revoked, as the log says')
})

test('the service does not start when the start of a key was changed in the table', async () => {
  await open()
  await rotateSigningKey(context(), clock.now())
  await database.query(`update signing_keys set active_from = active_from + interval '1 year'`)
  await expect(open()).rejects.toThrow('was changed')
})

test('a key that was encrypted before contexts named the row is decrypted, and encrypted again for its row', async () => {
  const keys = await open()
  const { id, privateKey } = await keys.current()
  const pem = privateKey.export({ format: 'pem', type: 'pkcs8' })
  await database.query('update signing_keys set private_key = $1', [
    TEST_VAULT.encrypt(pem, 'signing_keys.private_key'),
  ])
  const again = await open()
  expect((await again.current()).id).toBe(id)
  const [row] = await database.query<{ key: Buffer }>('select private_key as key from signing_keys')
  expect(() => TEST_VAULT.decrypt(row?.key ?? Buffer.alloc(0), 'signing_keys.private_key')).toThrow()
})

test('a revoked key that was published ahead never signs', async () => {
  const keys = await open()
  const first = await keys.current()
  const ahead = await rotateSigningKey(context(), clock.now())
  const made = await revoke(ahead.id)
  clock.setOffsetMs(2_000)
  expect((await keys.current()).id).toBe(first.id)
  clock.setOffsetMs(DAY_MS)
  expect((await keys.current()).id).toBe(made?.id)
})

test('a retired key is revoked without creating a new one, and the next key signs instead', async () => {
  const keys = await open()
  const first = await keys.current()
  const second = await rotateSigningKey(context(), clock.now())
  clock.setOffsetMs(DAY_MS)
  expect(await revoke(first.id)).toBeNull()
  clock.setOffsetMs(DAY_MS + 2_000)
  expect((await keys.at(first.activeFrom)).id).toBe(second.id)
})

test('an unknown key, a revoked key and a time in the future are refused, and nothing changes', async () => {
  const keys = await open()
  const { id } = await keys.current()
  await expect(revoke('key_2020-01_00000000')).rejects.toThrow('there is no signing key')
  await expect(revoke(id, new Date(clock.now().getTime() + 60_000))).rejects.toThrow('must not be after now')
  expect(await (await open()).all()).toHaveLength(1)
  await revoke(id)
  await expect(revoke(id)).rejects.toThrow('is revoked already')
  expect(await (await open()).all()).toHaveLength(2)
})
