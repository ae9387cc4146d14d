import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { PayDocument } from '@batua/contract'
import { afterAll, beforeAll, expect } from 'vitest'
import { pageOf } from '../../../http/paging.ts'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import { database } from '../../../testing/database-test.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { ask, network, signUp, signUpAgent, signUpOwner, test } from '../../../testing/network-server.ts'
import { openPayDocuments, parsePayDocument } from './document.ts'
import { listingChecks } from './jobs.ts'
import { putListing, selectListing, selectSellers } from './store.ts'

const START = new Date('2026-07-01T10:00:00.000Z')
const documents = openPayDocuments('sandbox')
const server = createServer((request, response) => reply(request, response))
let reply: (request: IncomingMessage, response: ServerResponse) => unknown
let origin: string

beforeAll(async () => {
  await new Promise<void>(ready => server.listen(0, '127.0.0.1', ready))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  await documents.close()
  server.close()
  server.closeAllConnections()
})

interface Shop {
  readonly agentId: string
  readonly id: Uuid
  readonly handle: string
  readonly listing: Uuid
  readonly document: PayDocument
  change(body: object): Promise<unknown>
  stop(): Promise<unknown>
}

const documentOf = (payTo: string, name = 'Weather of Pune'): PayDocument => ({
  ...{ version: 1, payTo, name, protocols: ['batua'] },
  routes: [
    { method: 'GET', path: '/weather/{city}', description: 'Forecasts', price: { from: '1', to: '2.50' } },
  ],
})

/** An agent that sells at the test's origin, listed at the start. */
async function openShop(name?: string, at = START): Promise<Shop> {
  const { headers } = await signUp(network)
  const { id: agentId, handle } = await signUpAgent(network, headers, await signUpOwner(network, headers))
  const change = (body: object) => ask('PATCH', `/v1/agents/${agentId}`, headers, body)
  await change({ origins: [origin] })
  const id = parseId('agt', agentId)
  if (id === null) throw new Error('no agent')
  const document = documentOf(handle, name)
  reply = (_, response) => response.end(JSON.stringify(document))
  const times = { now: at, dueAt: new Date(START.getTime() + HOUR_MS) }
  const { id: listing } = await database.inTransaction(tx =>
    putListing(tx, { agentId: id, origin, document }, times),
  )
  return {
    ...{ agentId, id, handle, listing, document, change },
    stop: () => ask('POST', `/v1/agents/${agentId}/pause`, headers),
  }
}

const job = () => listingChecks({ database, vault: TEST_VAULT, logger: silentLogger(), documents })
const after = (ms: number) => new Date(START.getTime() + ms)

async function find(words: string | null, now = START): Promise<string[]> {
  const { rows, total } = await selectSellers(database, words, now, pageOf({ limit: 100 }))
  expect(total).toBe(rows.length)
  return rows.map(({ handle }) => handle)
}

test('sellers are found by the words of their names, descriptions and paths, the one checked last first', async () => {
  const [pune, words] = [await openShop('Weather of Pune'), await openShop('Words translated', after(1))]
  expect(await find('weather')).toContain(pune.handle)
  expect(await find('forecast city')).toEqual(expect.arrayContaining([pune.handle, words.handle]))
  expect(await find('translating words')).toEqual([words.handle])
  expect(await find('"of Pune" -translated')).toContain(pune.handle)
  expect(await find('nothing of this kind')).toEqual([])
  const all = await find(null)
  expect(all.indexOf(words.handle)).toBeLessThan(all.indexOf(pune.handle))
})

test('a document is read again after an hour, and what it says now is listed', async () => {
  const shop = await openShop()
  reply = (_, response) => response.end(JSON.stringify(documentOf(shop.agentId, 'Snow reports')))
  expect(await job().run(after(HOUR_MS - 1))).toBe(0)
  await job().run(after(HOUR_MS))
  const listing = await selectListing(database, shop.listing, after(HOUR_MS))
  expect(listing).toMatchObject({ document: { name: 'Snow reports' }, checkedAt: after(HOUR_MS), uptime: 1 })
  expect(await find('snow')).toEqual([shop.handle])
})

test('a document that fails stays listed with its uptime, until it has failed for a week', async () => {
  const shop = await openShop()
  reply = (_, response) => response.writeHead(500).end()
  for (let hour = 1; hour <= 3; hour++) await job().run(after(hour * HOUR_MS))
  expect(await selectListing(database, shop.listing, after(3 * HOUR_MS))).toMatchObject({
    ...{ failingSince: after(HOUR_MS), checkedAt: START, uptime: 0.25 },
  })
  expect(await find(null, after(3 * HOUR_MS))).toContain(shop.handle)
  await job().run(after(7 * DAY_MS))
  expect(await selectListing(database, shop.listing, after(7 * DAY_MS))).not.toBeNull()
  await job().run(after(7 * DAY_MS + HOUR_MS))
  expect(await selectListing(database, shop.listing, after(8 * DAY_MS))).toBeNull()
  const rows = await database.query(
    `select action, actor_id as actor, data::jsonb as data from audit_entries where target = $1`,
    [formatId('lst', shop.listing)],
  )
  const data = { origin, reason: 'document_failed' }
  expect(rows).toEqual([{ action: 'listing.ended', actor: 'discovery', data }])
  expect(await database.query(`select 1 from listing_days where listing_id = $1`, [shop.listing])).toEqual([])
})

test('a check that succeeds again ends the failure, and checks older than 30 days do not count', async () => {
  const shop = await openShop()
  reply = (_, response) => response.destroy()
  await job().run(after(HOUR_MS))
  reply = (_, response) => response.end(JSON.stringify(shop.document))
  await job().run(after(2 * HOUR_MS))
  expect(await selectListing(database, shop.listing, after(2 * HOUR_MS))).toMatchObject({
    failingSince: null,
  })
  await job().run(after(30 * DAY_MS))
  expect(await selectListing(database, shop.listing, after(30 * DAY_MS))).toMatchObject({ uptime: 1 })
})

test('a stopped agent is not found and its document is not read; a removed origin ends its listing', async () => {
  const [stopped, moved] = [await openShop(), await openShop()]
  let reads = 0
  reply = (_, response) => response.writeHead(++reads && 500).end()
  await stopped.stop()
  await moved.change({ origins: [] })
  expect(await find(null)).not.toContain(stopped.handle)
  expect(await find(null)).not.toContain(moved.handle)
  await job().run(after(HOUR_MS))
  expect(reads).toBe(0)
  expect(await selectListing(database, stopped.listing, after(HOUR_MS))).toMatchObject({ failingSince: null })
  expect(await selectListing(database, moved.listing, after(HOUR_MS))).toBeNull()
})

test('two nodes never read one document at the same time', async () => {
  await database.query('delete from listings', [])
  for (let shop = 0; shop < 3; shop++) await openShop()
  let reads = 0
  reply = (_, response) => {
    reads += 1
    response.end('{}')
  }
  await Promise.all([job().run(after(HOUR_MS)), job().run(after(HOUR_MS))])
  expect(reads).toBe(3)
})

const PAYEE = { agentId: 'agt_01kb7q3f8meg5tz4x9wc2n6a01', handle: 'weather' }
const GOOD = documentOf('@Weather')

test.each<[string, object | string, string]>([
  ['is no JSON', '<html>', 'not JSON'],
  ['names another payee', { ...GOOD, payTo: 'other' }, 'another payee'],
  ['has a name of two lines', { ...GOOD, name: 'Ignore\nall' }, '/name'],
  ['has a name that turns the direction of writing', { ...GOOD, name: 'a\u202eb' }, '/name'],
  ['has a long description', { ...GOOD, description: 'a'.repeat(501) }, '/description'],
  ['has no route', { ...GOOD, routes: [] }, '/routes'],
  ['has a path with a space', { ...GOOD, routes: [{ method: 'GET', path: '/a b' }] }, '/routes/0/path'],
  ['has an unknown method', { ...GOOD, routes: [{ method: 'BREW', path: '/a' }] }, '/routes/0/method'],
  [
    'has a price in words',
    { ...GOOD, routes: [{ ...GOOD.routes[0], price: { from: 'free', to: '1' } }] },
    '/routes/0/price',
  ],
  [
    'has a price from more to less',
    { ...GOOD, routes: [{ ...GOOD.routes[0], price: { from: '2', to: '1' } }] },
    'price',
  ],
  ['is of another version', { ...GOOD, version: 2 }, '/version'],
])('a document that %s is refused, and the reason quotes nothing of it', (_, document, why) => {
  const text = typeof document === 'string' ? document : JSON.stringify(document)
  const read = parsePayDocument(text, PAYEE)
  expect(read).toMatchObject({ kind: 'failed', why: expect.stringContaining(why) })
})

test('fields and protocols that are not known are dropped', () => {
  const text = JSON.stringify({ ...GOOD, protocols: ['batua', 'gold', 'batua'], __proto__: 1, secret: 'x' })
  expect(parsePayDocument(text, PAYEE)).toEqual({ kind: 'read', document: GOOD })
})

test.each<[string, (response: ServerResponse) => unknown, string]>([
  ['a redirect', response => response.writeHead(302, { location: '/elsewhere' }).end(), ''],
  ['404', response => response.writeHead(404).end('gone'), 'status 404'],
  ['a document that is too long', response => response.end(JSON.stringify(GOOD).padEnd(65_537)), '64 KiB'],
  [
    'a short response that becomes long',
    response =>
      response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(10_000_000, 32))),
    '64 KiB',
  ],
  ['bytes that are no text', response => response.end(Buffer.from([0x22, 0xff, 0x22])), 'could not be read'],
])('%s is no document', async (_, respond, why) => {
  reply = (_request, response) => respond(response)
  expect(await documents.read(origin, PAYEE)).toMatchObject({
    kind: 'failed',
    why: expect.stringContaining(why),
  })
})

test('in live mode only public addresses are read', async () => {
  const live = openPayDocuments('live')
  expect(await live.read('https://127.0.0.1', PAYEE)).toMatchObject({ kind: 'failed' })
  expect(await live.read(origin, PAYEE)).toMatchObject({ kind: 'failed' })
  await live.close()
})
