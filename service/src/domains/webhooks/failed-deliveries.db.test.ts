import { listFailedDeliveries } from '@batua/contract'
import { expect } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { database, test } from '../../testing/database-test.ts'
import { networkContext, newPlatform } from '../../testing/network.ts'
import { readFailedDeliveries } from './failed-deliveries.ts'

const START_MS = Date.parse('2026-11-20T06:30:00.000Z')
const fits = responseCheck(listFailedDeliveries)

let platforms: Uuid[]
/** The failed ones, newest first. */
const failed: { readonly id: Uuid; readonly platformId: Uuid }[] = []

test.beforeAll(async () => {
  const context = networkContext(database)
  platforms = [(await newPlatform(context)).platform.id, (await newPlatform(context)).platform.id]
  for (let index = 0; index < 90; index++) {
    const id = newUuid(new Date(START_MS + index * 1_000))
    const platformId = platforms[index % 2] ?? ''
    const status = ['pending', 'delivered', 'failed'][index % 3] ?? ''
    await database.query(
      `insert into webhook_deliveries (platform_id, id, event, url, status, attempts, response_status, last_error)
       values ($1, $2, 'agent.funded', 'https://example.com/hook', $3, 10, 503, 'The receiver responded with 503')`,
      [platformId, id, status],
    )
    if (status === 'failed') failed.unshift({ id, platformId })
  }
})

async function list(query: Parameters<typeof readFailedDeliveries>[1] = {}) {
  const response = await readFailedDeliveries({ database }, query)
  fits(response)
  return response
}

test('failed deliveries of all platforms are listed with their platforms, newest first, and no others', async () => {
  const { deliveries, pagination } = await list({ limit: 100 })
  expect(pagination.total).toBe(30)
  expect(deliveries.map(({ delivery_id, platform_id }) => [delivery_id, platform_id])).toEqual(
    failed.map(({ id, platformId }) => [formatId('whd', id), formatId('plt', platformId)]),
  )
  expect(deliveries[0]).toMatchObject({
    platform_name: 'Test platform',
    status: 'failed',
    attempts: 10,
    last_error: 'The receiver responded with 503',
  })
})

test('pages of failed deliveries have each of them once, by cursor and by offset', async () => {
  const whole = (await list({ limit: 100 })).deliveries
  const first = await list({ limit: 7 })
  const next = await list({ limit: 7, cursor: first.pagination.next_cursor ?? '' })
  expect([...first.deliveries, ...next.deliveries]).toEqual(whole.slice(0, 14))
  expect((await list({ limit: 7, offset: 7 })).deliveries).toEqual(next.deliveries)
})

test('failed deliveries of one platform are listed alone, and an unknown platform has none', async () => {
  const [own = ''] = platforms
  const { deliveries, pagination } = await list({ platform_id: formatId('plt', own), limit: 100 })
  expect([deliveries.length, pagination.total]).toEqual([15, 15])
  expect(new Set(deliveries.map(({ platform_id }) => platform_id))).toEqual(new Set([formatId('plt', own)]))
  const unknown = formatId('plt', newUuid(new Date()))
  expect((await list({ platform_id: unknown })).pagination.total).toBe(0)
})
