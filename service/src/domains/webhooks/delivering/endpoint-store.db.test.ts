import { afterAll, beforeAll, expect, test } from 'vitest'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import { setReceiver } from '../testing/delivering.ts'
import { insertBacklog } from './backlog-store.ts'
import { releaseEndpoint, scheduleWork, takeEndpoints, wakeEndpoint } from './endpoint-store.ts'

const NOW = new Date('2026-11-20T06:30:00.000Z')
const LATER = new Date(NOW.getTime() + 60_000)
const URL = 'http://127.0.0.1:9/'

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db.drop())

async function newEndpoint(): Promise<Uuid> {
  const platformId = newUuid(NOW)
  await setReceiver(db.database, platformId, URL)
  await scheduleWork(db.database, [platformId], NOW)
  return platformId
}

const take = (node: Uuid, failing = false) =>
  takeEndpoints(db.database, { node, now: NOW, failing, limit: 10 })

async function workAt(platformId: Uuid): Promise<Date | null | undefined> {
  const [row] = await db.database.query<{ work_at: Date | null }>(
    `select work_at from webhook_endpoints where platform_id = $1`,
    [platformId],
  )
  return row?.work_at
}

test('what is dealt out while an endpoint is let go is not forgotten', async () => {
  const node = newUuid(NOW)
  const platformId = await newEndpoint()
  await take(node)
  const dealer = await db.database.connect()
  await dealer.query('begin')
  await insertBacklog(dealer, new Map([[platformId, [newUuid(NOW)]]]))
  await scheduleWork(dealer, [platformId], NOW)
  const release = { platformId, node, now: NOW, url: URL, failingSince: null, pausedUntil: null }
  const released = db.database.inTransaction(tx => releaseEndpoint(tx, release))
  await someoneWaitsForLock(db.database)
  await dealer.query('commit')
  await released
  expect(await workAt(platformId)).toEqual(NOW)
  await dealer.release()
  await db.database.query(`update webhook_endpoints set work_at = null`)
})

test('a receiver that asked for a rest is left alone until then, and a new address is not', async () => {
  const node = newUuid(NOW)
  const platformId = await newEndpoint()
  await take(node)
  await insertBacklog(db.database, new Map([[platformId, [newUuid(NOW)]]]))
  const release = { platformId, node, now: NOW, url: URL, failingSince: NOW, pausedUntil: LATER }
  await db.database.inTransaction(tx => releaseEndpoint(tx, release))
  expect([...(await take(node)), ...(await take(node, true))]).toEqual([])
  await wakeEndpoint(db.database, platformId, NOW)
  expect(await take(node)).toEqual([{ platformId, failingSince: null }])
  // The address was changed while its courier was at work: what the old one did is not the new one's.
  await setReceiver(db.database, platformId, `${URL}other`)
  await db.database.inTransaction(tx => releaseEndpoint(tx, release))
  expect(await take(node)).toEqual([{ platformId, failingSince: null }])
  await db.database.query(`update webhook_endpoints set work_at = null`)
})

test('who has lost an endpoint lets go of nothing', async () => {
  const platformId = await newEndpoint()
  await insertBacklog(db.database, new Map([[platformId, [newUuid(NOW)]]]))
  const winner = newUuid(NOW)
  await take(winner)
  const loser = { platformId, node: newUuid(NOW), now: NOW, url: URL, failingSince: null, pausedUntil: null }
  await db.database.inTransaction(tx => releaseEndpoint(tx, loser))
  expect(await take(newUuid(NOW))).toEqual([])
})
