import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../kernel/clock.ts'
import { silentLogger } from '../kernel/logger.ts'
import { addFigures, createMetrics } from '../kernel/metrics.ts'
import { startTestServer, UNLIMITED } from '../testing/test-server.ts'
import { addMetrics, openMetricsListener } from './metrics.ts'

const TOKEN = 'a-token-for-those-who-watch-0001'
const open: { close(): Promise<void> }[] = []

afterEach(async () => {
  for (const server of open.splice(0)) await server.close()
})

/** A server that shows how often its figures were read, at the path that is answered. */
async function start(token: string | null, pagesPerMinute = 0): Promise<string> {
  const metrics = createMetrics()
  let read = 0
  addFigures(metrics, { batua_webhook_queue_rows: times => times }, async () => ++read)
  const rateLimits = { ...UNLIMITED, pagesPerMinute }
  const server = await startTestServer(started => addMetrics(started, { metrics, token }), {
    metrics,
    rateLimits,
  })
  open.push(server)
  return `${server.url}/metrics`
}

const status = async (url: string, headers: Record<string, string> = {}) =>
  (await fetch(url, { headers })).status

test('metrics are served to this machine in the format of Prometheus', async () => {
  const response = await fetch(await start(null))
  expect(response.headers.get('content-type')).toContain('text/plain; version=0.0.4')
  expect(await response.text()).toMatch(/^process_cpu_user_seconds_total /m)
})

test('a caller behind a proxy on this machine does not count as this machine', async () => {
  const url = await start(null)
  for (const name of ['x-forwarded-for', 'forwarded', 'x-real-ip', 'via', 'x-forwarded-proto']) {
    const response = await fetch(url, { headers: { [name]: '127.0.0.1' } })
    expect([name, response.status]).toEqual([name, 401])
    expect(response.headers.get('www-authenticate')).toBe('Bearer')
    expect(await response.json()).toMatchObject({ error: { code: 'authentication_error' } })
  }
})

test('callers from other machines need the exact token', async () => {
  const url = await start(TOKEN)
  const elsewhere = { 'x-forwarded-for': '203.0.113.9' }
  const withToken = (authorization: string) => status(url, { ...elsewhere, authorization })
  expect(await withToken(`Bearer ${TOKEN}`)).toBe(200)
  expect(await withToken(`bearer ${TOKEN}`)).toBe(200)
  for (const wrong of [
    `Bearer ${TOKEN}x`,
    `Bearer ${TOKEN.slice(1)}`,
    `Basic ${TOKEN}`,
    TOKEN,
    'Bearer',
    'Bearer ',
  ])
    expect([wrong, await withToken(wrong)]).toEqual([wrong, 401])
  expect(await status(url, elsewhere)).toBe(401)
  expect(await status(url)).toBe(200)
  expect(await status(await start(null), { ...elsewhere, authorization: 'Bearer null' })).toBe(401)
})

test('metrics are read from the database at most once a second', async () => {
  const url = await start(null)
  const texts = await Promise.all(Array.from({ length: 20 }, async () => (await fetch(url)).text()))
  expect(new Set(texts.map(text => /^batua_webhook_queue_rows (\d+)$/m.exec(text)?.[1]))).toEqual(
    new Set(['1']),
  )
})

test('requests for metrics count on the budget of pages', async () => {
  const url = await start(null, 2)
  expect([await status(url), await status(url), await status(url)]).toEqual([200, 200, 429])
})

test('the separate listener serves only the metrics, and its close ends its connections', async () => {
  const options = {
    clock: systemClock(),
    logger: silentLogger(),
    pagesPerMinute: () => 4,
    metrics: createMetrics(),
  }
  const listener = await openMetricsListener({ ...options, token: null })
  const { port } = await listener.listen({ host: '127.0.0.1', port: 0 })
  const url = `http://127.0.0.1:${port}`
  expect(await status(`${url}/metrics`, { 'x-forwarded-for': '203.0.113.9' })).toBe(200)
  const other = await fetch(`${url}/openapi.json`)
  expect([other.status, await other.json()]).toEqual([
    404,
    { error: expect.objectContaining({ code: 'not_found' }) },
  ])
  const head = await fetch(`${url}/metrics`, { method: 'HEAD' })
  expect([head.status, await head.text()]).toEqual([200, ''])
  expect([await status(`${url}/metrics`), await status(`${url}/metrics`)]).toEqual([200, 200])
  expect(await status(`${url}/metrics`)).toBe(429)
  await listener.close()
  await expect(fetch(`${url}/metrics`)).rejects.toThrow()
})

test('the separate listener needs the token when there is one', async () => {
  const options = {
    clock: systemClock(),
    logger: silentLogger(),
    pagesPerMinute: () => 0,
    metrics: createMetrics(),
  }
  const listener = await openMetricsListener({ ...options, token: TOKEN })
  open.push(listener)
  const { port } = await listener.listen({ host: '127.0.0.1', port: 0 })
  const elsewhere = { 'x-forwarded-for': '203.0.113.9' }
  const url = `http://127.0.0.1:${port}/metrics`
  expect(await status(url, elsewhere)).toBe(401)
  expect(await status(url, { ...elsewhere, authorization: `Bearer ${TOKEN}` })).toBe(200)
})
