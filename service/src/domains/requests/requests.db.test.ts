import type { LoggedRequest } from '@batua/contract'
import { beforeEach, expect } from 'vitest'
import { type Database, DatabaseUnavailable } from '../../db/database.ts'
import type { FinishedRequest } from '../../http/access-log.ts'
import type { PlatformCaller } from '../../http/caller.ts'
import { requestIds } from '../../http/request-id.ts'
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { createMetrics } from '../../kernel/metrics.ts'
import { database, test } from '../../testing/database-test.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { openRequestLog, type RequestLog } from './collect.ts'
import { requestLogJobs } from './jobs.ts'
import { type RequestQuery, readRequests, readUsage } from './read-requests.ts'

const clock = manualClock(new Date('2026-11-20T11:59:30.000Z'))
const newId = requestIds(clock)
let metrics = createMetrics()
let log: RequestLog
let caller: PlatformCaller

beforeEach(() => {
  metrics = createMetrics()
  log = openRequestLog({ database, clock, metrics, logger: silentLogger() })
  caller = { kind: 'platform', platformId: newUuid(clock.now()) }
})

function finished(more: Partial<FinishedRequest> = {}): FinishedRequest {
  return {
    platformId: caller.platformId,
    requestId: newId(),
    method: 'POST',
    route: '/v1/agents/{agent_id}/pay',
    status: 200,
    code: '',
    durationMs: 4.2,
    appId: null,
    ...more,
  }
}

function read(query: RequestQuery = {}) {
  return readRequests({ database, requestLog: log }, caller, query, clock.now())
}

function dropped(): Promise<number> {
  const counter = metrics.getSingleMetric('batua_request_log_dropped_total')
  return counter === undefined
    ? Promise.resolve(Number.NaN)
    : counter.get().then(({ values }) => values[0]?.value ?? 0)
}

const ROUTES = ['/v1/agents/{agent_id}/pay', '/v1/agents', '/v1/escrow/{escrow_id}'] as const
const OUTCOMES = [
  [200, ''],
  [200, ''],
  [201, ''],
  [402, 'insufficient_balance'],
  [503, 'service_unavailable'],
] as const

/** Requests of a few hours, some minutes with many and most with none, the oldest first. */
function recordMany(): LoggedRequest[] {
  const made: LoggedRequest[] = []
  for (let index = 0; index < 400; index++) {
    if (index % 7 === 0) clock.advance(((index * 37) % 11) * 60_000 + 1)
    const [status, code] = OUTCOMES[(index * 13) % OUTCOMES.length] ?? OUTCOMES[0]
    const route = ROUTES[(index * 5) % ROUTES.length] ?? ROUTES[0]
    const appId = index % 3 === 0 ? newUuid(clock.now()) : null
    const request = finished({ status, code, route, appId, durationMs: index / 8 })
    log.record(request)
    log.record({ ...request, platformId: newUuid(clock.now()), requestId: newId() })
    made.push({
      request_id: request.requestId,
      method: 'POST',
      route,
      status,
      code: code === '' ? null : code,
      duration_ms: Math.round((index / 8) * 100) / 100,
      app_id: appId === null ? null : formatId('app', appId),
      created_at: clock.now().toISOString(),
    })
  }
  return made.toSorted((left, right) => (left.request_id < right.request_id ? 1 : -1))
}

test('a platform reads its own requests exactly, whatever the filter and the page', async () => {
  const made = recordMany()
  const filters: readonly [RequestQuery, (request: LoggedRequest) => boolean][] = [
    [{}, () => true],
    [{ status_class: '2xx' }, ({ status }) => status < 300],
    [{ status_class: '5xx' }, ({ status }) => status === 503],
    [{ status_class: '3xx' }, () => false],
    [{ code: 'insufficient_balance' }, ({ code }) => code === 'insufficient_balance'],
    [
      { route: '/v1/agents', status_class: '4xx' },
      request => request.route === '/v1/agents' && request.status === 402,
    ],
    [{ method: 'GET' }, () => false],
  ]
  for (const [filter, matches] of filters) {
    const expected = made.filter(matches)
    for (const offset of [0, 1, 19, 100, 399, 1000]) {
      const page = await read({ ...filter, limit: 20, offset })
      expect(page.requests).toEqual(expected.slice(offset, offset + 20))
      expect(page.pagination.total).toBe(expected.length)
    }
    const followed: LoggedRequest[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await read({ ...filter, limit: 33, ...(cursor === undefined ? {} : { cursor }) })
      followed.push(...page.requests)
      cursor = page.pagination.next_cursor
      if (cursor === undefined) break
    }
    expect(followed).toEqual(expected)
  }
})

test('of a minute at most 1,000 successes and 1,000 failures are listed, and all are counted', async () => {
  clock.advance(60_000)
  for (let index = 0; index < 1_500; index++) log.record(finished())
  await log.flush()
  for (let index = 0; index < 1_200; index++) log.record(finished({ status: 409, code: 'conflict' }))
  expect((await read()).pagination.total).toBe(2_000)
  const usage = await readUsage({ database, requestLog: log }, caller, 5, clock.now())
  expect(usage).toMatchObject({
    requests: 2_700,
    failed: 1_200,
    minutes: [{ requests: 2_700, failed: 1_200 }],
    errors: [{ code: 'conflict', status: 409, requests: 1_200 }],
  })
  clock.advance(60_000)
  log.record(finished())
  expect((await read()).pagination.total).toBe(2_001)
})

test('requests are shown for three days, and half a day later they are in no table', async () => {
  log.record(finished())
  await log.flush()
  clock.advance(3 * DAY_MS)
  expect((await read()).pagination.total).toBe(1)
  clock.advance(60_000)
  expect(await read()).toMatchObject({ requests: [], pagination: { total: 0 } })
  clock.advance(12 * HOUR_MS)
  const old = requestLogJobs({ database, requestLog: log }).find(({ name }) => name === 'old requests')
  await old?.run(clock.now())
  const left = `select 1 from request_log where platform_id = $1 union all
    select 1 from request_log_counts where platform_id = $1`
  expect(await database.query(left, [caller.platformId])).toEqual([])
})

test('a partition that is used again holds nothing of before, however far the clock was moved', async () => {
  log.record(finished())
  await log.flush()
  clock.advance(4 * DAY_MS)
  log.record(finished())
  await log.flush()
  const ids = await database.query(`select id from request_log where platform_id = $1`, [caller.platformId])
  expect(ids).toHaveLength(1)
  expect((await read()).pagination.total).toBe(1)
})

test('two nodes that write the same counts at the same time lose none', async () => {
  const other = openRequestLog({ database, clock, metrics: createMetrics(), logger: silentLogger() })
  for (let round = 0; round < 20; round++) {
    for (const route of ROUTES) {
      log.record(finished({ route }))
      other.record(finished({ route }))
    }
    await Promise.all([log.flush(), other.flush()])
  }
  expect((await read({ limit: 1 })).pagination.total).toBe(120)
  expect((await read({ limit: 100 })).requests).toHaveLength(100)
})

test('requests beyond what the memory keeps are dropped and counted', async () => {
  for (let index = 0; index < 20_005; index++) log.record(finished({ status: 500, code: 'internal_error' }))
  expect(await dropped()).toBe(5)
  const usage = await readUsage({ database, requestLog: log }, caller, 1440, clock.now())
  expect(usage.requests).toBe(20_000)
})

test('without the database requests are dropped and counted, and later ones are written', async () => {
  let isAway = true
  const faulty: Database = {
    ...database,
    inTransaction: (work, options) =>
      isAway ? Promise.reject(new DatabaseUnavailable('away')) : database.inTransaction(work, options),
    query: (text, values, options) =>
      isAway ? Promise.reject(new DatabaseUnavailable('away')) : database.query(text, values, options),
  }
  metrics = createMetrics()
  log = openRequestLog({ database: faulty, clock, metrics, logger: silentLogger() })
  log.record(finished())
  await log.flush()
  expect(await dropped()).toBe(1)
  isAway = false
  log.record(finished())
  expect((await read()).pagination.total).toBe(1)
})
