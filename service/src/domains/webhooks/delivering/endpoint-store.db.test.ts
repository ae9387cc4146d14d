import { expect } from 'vitest'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { database, test } from '../../../testing/database-test.ts'
import { someoneWaitsForLock } from '../../../testing/wait-for-lock.ts'
import { setReceiver } from '../testing/delivering.ts'
import { insertBacklog } from './backlog-store.ts'
import { leaseEndpoints, releaseEndpoint, scheduleWork, wakeEndpoint } from './endpoint-store.ts'

const NOW = new Date('2026-11-20T06:30:00.000Z')
const LATER = new Date(NOW.getTime() + 60_000)
const URL = 'http://127.0.0.1:9/'

async function newEndpoint(): Promise<Uuid> {
  const platformId = newUuid(NOW)
  await setReceiver(database, platformId, URL)
  await scheduleWork(database, [platformId], NOW)
  return platformId
}

const take = (node: Uuid, failing = false) => leaseEndpoints(database, { node, now: NOW, failing, limit: 10 })

async function workAt(platformId: Uuid): Promise<Date | null | undefined> {
  const [row] = await database.query<{ work_at: Date | null }>(
    `select work_at from webhook_endpoints where platform_id = $1`,
    [platformId],
  )
  return row?.work_at
}

test('an event that is fanned out while its endpoint is released is still scheduled', async () => {
  const node = newUuid(NOW)
  const platformId = await newEndpoint()
  await take(node)
  const fanningOut = await database.connect()
  await fanningOut.query('begin')
  await insertBacklog(fanningOut, new Map([[platformId, [newUuid(NOW)]]]))
  await scheduleWork(fanningOut, [platformId], NOW)
  const release = { platformId, node, now: NOW, url: URL, failingSince: null, pausedUntil: null }
  const released = database.inTransaction(tx => releaseEndpoint(tx, release))
  await someoneWaitsForLock(database)
  await fanningOut.query('commit')
  await released
  expect(await workAt(platformId)).toEqual(NOW)
  await fanningOut.release()
  await database.query(`update webhook_endpoints set work_at = null`)
})

test('a paused endpoint is not leased until the pause ends or the webhook_url changes', async () => {
  const node = newUuid(NOW)
  const platformId = await newEndpoint()
  await take(node)
  await insertBacklog(database, new Map([[platformId, [newUuid(NOW)]]]))
  const release = { platformId, node, now: NOW, url: URL, failingSince: NOW, pausedUntil: LATER }
  await database.inTransaction(tx => releaseEndpoint(tx, release))
  expect([...(await take(node)), ...(await take(node, true))]).toEqual([])
  await wakeEndpoint(database, platformId, NOW)
  expect(await take(node)).toEqual([{ platformId, failingSince: null }])
  // The address changed while a worker had the lease: failures of the old receiver do not count for the new one.
  await setReceiver(database, platformId, `${URL}other`)
  await database.inTransaction(tx => releaseEndpoint(tx, release))
  expect(await take(node)).toEqual([{ platformId, failingSince: null }])
  await database.query(`update webhook_endpoints set work_at = null`)
})

test('a node that has lost the lease of an endpoint releases nothing', async () => {
  const platformId = await newEndpoint()
  await insertBacklog(database, new Map([[platformId, [newUuid(NOW)]]]))
  const winner = newUuid(NOW)
  await take(winner)
  const loser = { platformId, node: newUuid(NOW), now: NOW, url: URL, failingSince: null, pausedUntil: null }
  await database.inTransaction(tx => releaseEndpoint(tx, loser))
  expect(await take(newUuid(NOW))).toEqual([])
})
