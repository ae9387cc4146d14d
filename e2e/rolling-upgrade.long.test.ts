import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { newestVersion } from '../service/src/db/migrate.ts'
import { openApi } from './src/api.ts'
import { leafFaults, leavesThatWait } from './src/audit-faults.ts'
import { type Balancer, openBalancer } from './src/balancer.ts'
import { runCheckRestored, runMigrate } from './src/commands.ts'
import { createDatabase, type ServiceDatabase } from './src/database.ts'
import { type Release, unpackLastRelease } from './src/last-release.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import { openNetwork, type Platform } from './src/network.ts'
import { ORIGIN, type RollingLoad, startRollingLoad } from './src/rolling-load.ts'
import { type Service, startService } from './src/service.ts'
import { expectedEvents, listFaults, receivedFaults } from './src/webhook-faults.ts'
import { openReceiver, type Receiver } from './src/webhook-receiver.ts'

/** In each phase every flow ends so often, of which one also began in it; and every node responds so often. */
const MORE = 2
const PHASE_MS = 120_000
const PATIENCE_MS = 120_000
/** If the release needs packages of its own, they are installed first. */
const SET_UP_MS = 300_000

let release: Release
let database: ServiceDatabase
let receiver: Receiver
let platform: Platform
let balancer: Balancer
let load: RollingLoad
const nodes = new Map<string, Service>()
const ended: Service[] = []

/** A load balancer asks twenty times a second here, so a node may stop sooner than in production. */
const settings = () => ({ DATABASE_URL: database.url, BASE_URL: ORIGIN, DRAIN_MS: '500' })
/** Compiled code of a folder that is removed is of no use to later runs. */
const ofRelease = () => ({ NODE_COMPILE_CACHE: join(release.root, 'compiled') })

beforeAll(async () => {
  release = unpackLastRelease()
  database = await createDatabase()
  // The tests' databases are migrated by the present code; this one begins empty.
  await database.query('drop schema public cascade')
  await database.query('create schema public')
  balancer = openBalancer()
  receiver = await openReceiver()
  await start('old-1', 'last release')
  await start('old-2', 'last release')
  const network = openNetwork(openApi(node('old-1').address))
  platform = await network.platform({ webhook_url: receiver.url })
  receiver.trust(platform.webhookSecret)
  load = await startRollingLoad(network, platform, balancer)
}, SET_UP_MS)
afterAll(async () => {
  await load.stop()
  await balancer.close()
  await Promise.all([...nodes.values()].map(each => each.kill()))
  await receiver.close()
  await database.drop()
  release.remove()
})

function node(name: string): Service {
  const found = nodes.get(name)
  if (found === undefined) throw new Error(`${name} does not run`)
  return found
}

async function start(name: string, of: 'last release' | 'new release'): Promise<void> {
  const service = await (of === 'new release'
    ? startService(settings())
    : startService({ ...settings(), ...ofRelease() }, release.root))
  nodes.set(name, service)
  balancer.add(name, service)
}

/** As a supervisor stops it: SIGTERM, while the balancer finds out by itself. */
async function stop(name: string): Promise<void> {
  const service = node(name)
  expect(await service.stop()).toBe(0)
  balancer.remove(name)
  nodes.delete(name)
  ended.push(service)
}

const schemaVersion = async () => {
  const [row] = await database.query<{ version: number }>(
    'select max(version)::int as version from schema_version',
  )
  return row?.version
}

type Counts = ReadonlyMap<string, number>

function isMore(now: Counts, before: Counts, names: readonly string[]): boolean {
  return names.every(name => (now.get(name) ?? 0) >= (before.get(name) ?? 0) + MORE)
}

/** Waits until every flow has ended and every node has responded some more times, all without a refusal. */
async function goesOn(): Promise<void> {
  const [done, served] = [new Map(load.done), new Map(balancer.served)]
  const deadline = Date.now() + PHASE_MS
  while (!isMore(load.done, done, load.flows) || !isMore(balancer.served, served, [...nodes.keys()])) {
    expect([...load.faults, ...balancer.refusals]).toEqual([])
    if (Date.now() > deadline) throw new Error(`the load does not go on: ${JSON.stringify([...load.done])}`)
    await delay(20)
  }
  expect([...load.faults, ...balancer.refusals]).toEqual([])
}

test('a database of the last release is migrated while its nodes serve', async () => {
  expect(await schemaVersion()).toBe(release.schema)
  await goesOn()
  const { code, stdout, stderr } = await runMigrate(settings())
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(stdout.endsWith(`The database is at version ${newestVersion()}\n`)).toBe(true)
  await goesOn()
})

test('a node of the last release that is restarted starts on the migrated database', async () => {
  await stop('old-2')
  await goesOn()
  await start('old-2', 'last release')
  await goesOn()
})

test('nodes of both releases serve side by side, until the new one is alone', async () => {
  await start('new', 'new release')
  await goesOn()
  await stop('old-1')
  await goesOn()
  await stop('old-2')
  await goesOn()
})

test('the last release takes over again in a roll-back, and the new one afterwards', async () => {
  await start('back', 'last release')
  await goesOn()
  await stop('new')
  await goesOn()
  await start('again', 'new release')
  await stop('back')
  await goesOn()
})

test('nothing is lost or doubled, every webhook is delivered, and both checks of the service find nothing', async () => {
  await load.stop()
  console.log(
    `release ${release.version}, schema ${release.schema} to ${newestVersion()}, own packages:`,
    release.ownPackages,
    Object.fromEntries(load.done),
    `${load.repeats()} requests repeated after a broken connection;`,
    Object.fromEntries(balancer.served),
  )
  expect([...load.faults, ...balancer.refusals]).toEqual([])
  const waiting = () => database.query(`select id from escrows where status = 'held'`)
  await expect.poll(waiting, { timeout: PATIENCE_MS }).toEqual([])
  expect(await load.differences(database)).toEqual([])
  expect(await ledgerFaults(database.query)).toEqual([])
  const expected = await expectedEvents(database.query)
  const api = openApi(node('again').address)
  await expect.poll(() => receivedFaults(platform, receiver, expected), { timeout: PATIENCE_MS }).toEqual([])
  await expect.poll(() => listFaults(api, platform, expected), { timeout: PATIENCE_MS }).toEqual([])
  await expect.poll(() => leavesThatWait(window()), { timeout: PATIENCE_MS }).toBe(0)
  expect(await leafFaults(window())).toEqual([])
  await stop('again')
  const { code, stdout, stderr } = await runCheckRestored({ DATABASE_URL: database.url })
  expect([code, stderr]).toEqual([0, ''])
  console.log(stdout)
  expect(ended.map(each => each.output()).filter(text => text.includes('"level":50'))).toEqual([])
})

const window = () => ({ ...database, close: async () => undefined })
