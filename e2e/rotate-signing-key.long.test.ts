import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openApi } from './src/api.ts'
import { runRotateSigningKey } from './src/commands.ts'
import { type EmbeddedService, startEmbedded } from './src/embedded.ts'

const SLOW_MACHINE = { timeout: 90_000 }

let service: EmbeddedService

beforeAll(async () => {
  service = await startEmbedded()
}, 60_000)
afterAll(async () => {
  await service.remove()
})

const rotate = (env = {}, ...args: string[]) =>
  runRotateSigningKey({ DATA_DIR: service.dataDir, ...env }, args)

const moveClock = () => openApi(service.address).ok(routes.advanceClock, { body: { advance_seconds: 3_600 } })

/** Advances the clock first, so that new keys are active on every node. */
async function idsInBothDocuments(): Promise<string[]> {
  await moveClock()
  const api = openApi(service.address)
  const { key_id, keys } = await api.ok(routes.getServiceKeys)
  const { keys: jwks } = await api.ok(routes.getJwks)
  const ids = keys.map(key => key.key_id)
  expect(ids[0]).toBe(key_id)
  expect(jwks.map(key => key.kid)).toEqual(ids)
  return ids
}

/** The key id in the command's output. */
function madeBy(stdout: string): string {
  const printed = /^(key_\d{4}-\d{2}_[0-9a-f]{8}) signs from \S+Z on; its public key is \S{44}\n$/.exec(
    stdout,
  )
  return printed?.[1] ?? `not printed: ${stdout}`
}

test(
  'a running service signs with the new key soon after, and the old one stays published',
  SLOW_MACHINE,
  async () => {
    const before = await idsInBothDocuments()
    const { code, stdout, stderr } = await rotate()
    expect([code, stderr]).toEqual([0, ''])
    expect(await idsInBothDocuments()).toEqual([madeBy(stdout), ...before])
  },
)

test('a revoked key is published as revoked, and another signs at once', SLOW_MACHINE, async () => {
  const [stolen = ''] = await idsInBothDocuments()
  const { code, stdout, stderr } = await rotate({}, '--revoke', stolen)
  expect([code, stderr]).toEqual([0, ''])
  const [revoked = '', made = ''] = stdout.split('\n').map(line => `${line}\n`)
  expect(revoked).toMatch(new RegExp(`^${stolen} is revoked since \\S+Z\n$`))
  expect((await idsInBothDocuments()).slice(0, 2)).toEqual([madeBy(made), stolen])
  const { keys } = await openApi(service.address).ok(routes.getServiceKeys)
  expect(keys[1]).toMatchObject({ key_id: stolen, status: 'revoked', revoked_at: expect.any(String) })
  expect(await rotate({}, '--revoke', stolen)).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is revoked already'),
  })
})

test('with a moved test clock the key is valid from the service’s time', SLOW_MACHINE, async () => {
  const { now } = await moveClock()
  const { stdout } = await rotate()
  const begins = Date.parse(/from (\S+) on/.exec(stdout)?.[1] ?? '')
  expect(begins - Date.parse(now)).toBeGreaterThan(0)
  expect(begins - Date.parse(now)).toBeLessThan(60_000)
})

test('with a wrong master key no key is created', SLOW_MACHINE, async () => {
  const before = await idsInBothDocuments()
  const { code, stdout, stderr } = await rotate({ MASTER_KEY: Buffer.alloc(32, 'no').toString('base64') })
  expect([code, stdout]).toEqual([2, ''])
  expect(stderr).toBe('MASTER_KEY is not the one that this database was made with\n')
  expect(await idsInBothDocuments()).toEqual(before)
})

test('without a database it says so and creates none', SLOW_MACHINE, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'batua-e2e-'))
  const { code, stderr } = await rotate({ DATA_DIR: folder })
  expect(code).toBe(2)
  expect(stderr).toContain('set DATA_DIR or DATABASE_URL')
  expect(existsSync(join(folder, 'postgres'))).toBe(false)
  rmSync(folder, { recursive: true })
})

test('a stopped service starts with the new key', SLOW_MACHINE, async () => {
  expect(await service.stop()).toBe(0)
  const { code, stdout, stderr } = await rotate()
  expect([code, stderr]).toEqual([0, ''])
  await service.start()
  expect((await idsInBothDocuments())[0]).toBe(madeBy(stdout))
})
