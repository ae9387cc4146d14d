import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { manualClock } from '../testing/manual-clock.ts'
import { startTestServer, type TestServer, UNLIMITED } from '../testing/test-server.ts'
import { addConsole } from './console.ts'

const PAGE =
  '<html data-mode="MODE_OF_THE_SERVICE"><script nonce="NONCE_OF_THE_RESPONSE"></script><link nonce="NONCE_OF_THE_RESPONSE">'
const PAGES_PER_MINUTE = 40
const clock = manualClock(new Date('2026-11-23T10:00:00.000Z'))

let folder: string
let server: TestServer
let unbuilt: TestServer

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'console-'))
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), PAGE)
  writeFileSync(join(folder, 'assets/main-abc123.js'), 'let it = 1\n'.repeat(500))
  writeFileSync(join(folder, 'service-worker.js'), 'let it = 2')
  server = await startTestServer(started => addConsole(started, { mode: 'sandbox', clock, folder }), {
    rateLimits: { ...UNLIMITED, pagesPerMinute: PAGES_PER_MINUTE },
  })
  unbuilt = await startTestServer(started =>
    addConsole(started, { mode: 'live', clock, folder: join(folder, 'none') }),
  )
})
afterAll(async () => {
  await server.close()
  await unbuilt.close()
  rmSync(folder, { recursive: true })
})

const get = (path: string, headers: Record<string, string> = {}) =>
  fetch(server.url + path, { headers, redirect: 'manual' })

/** The sources of each directive of a response's content security policy. */
function policyOf({ headers }: Response): ReadonlyMap<string, readonly string[]> {
  const lines = (headers.get('content-security-policy') ?? '').split('; ')
  return new Map(lines.map(line => [line.split(' ')[0] ?? '', line.split(' ').slice(1)] as const))
}

test('the root leads to the console', async () => {
  const root = await get('/')
  expect([root.status, root.headers.get('location')]).toEqual([302, '/console'])
})

test('every address below /console is the page, which knows the mode and is never stored', async () => {
  for (const path of [
    '/console',
    '/console/',
    '/console/inbox/apr_1?status=approved',
    '/console/admin/x/y',
  ]) {
    const page = await get(path)
    expect([path, page.status, page.headers.get('cache-control')]).toEqual([path, 200, 'no-store'])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(await page.text()).toContain('<html data-mode="sandbox">')
  }
})

test('each response has a nonce of its own, and nothing without it runs', async () => {
  const nonces = new Set<string>()
  for (let request = 0; request < 3; request++) {
    const page = await get('/console')
    const policy = policyOf(page)
    const [nonce = ''] = policy.get('style-src') ?? []
    expect(policy.get('script-src')).toEqual([nonce, "'strict-dynamic'"])
    expect(await page.text()).not.toContain('NONCE_OF_THE_RESPONSE')
    nonces.add(nonce)
    for (const [name, wanted] of [
      ['default-src', "'none'"],
      ['connect-src', "'self'"],
      ['frame-ancestors', "'none'"],
      ['base-uri', "'none'"],
      ['form-action', "'none'"],
      ['require-trusted-types-for', "'script'"],
      ['trusted-types', 'default'],
    ] as const) {
      expect([name, policy.get(name)]).toEqual([name, [wanted]])
    }
  }
  expect(nonces.size).toBe(3)
})

test('the page’s elements carry the nonce of its policy', async () => {
  const page = await get('/console')
  const [source = ''] = policyOf(page).get('style-src') ?? []
  const html = await page.text()
  expect([...html.matchAll(/nonce="([^"]+)"/g)].map(([, nonce]) => `'nonce-${nonce}'`)).toEqual([
    source,
    source,
  ])
})

test('a file with a hash in its name is compressed and stored for ever, other files are asked for again', async () => {
  const asset = await get('/console/assets/main-abc123.js', { 'accept-encoding': 'br' })
  expect(asset.headers.get('content-encoding')).toBe('br')
  expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
  expect(asset.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
  const again = await get('/console/assets/main-abc123.js', {
    'accept-encoding': 'br',
    'if-none-match': asset.headers.get('etag') ?? '',
  })
  expect(again.status).toBe(304)
  const worker = await get('/console/service-worker.js')
  expect(worker.headers.get('cache-control')).toBe('no-cache')
  expect(worker.headers.get('service-worker-allowed')).toBe('/console')
})

test('a file of an earlier version is 404, never the page', async () => {
  expect((await get('/console/assets/main-old.js')).status).toBe(404)
})

test('the page reads the service’s time, which the sandbox moves', async () => {
  clock.advance(1_000)
  const now = await get('/console/now')
  expect(now.headers.get('cache-control')).toBe('no-store')
  expect(await now.json()).toEqual({ now: '2026-11-23T10:00:01.000Z' })
})

test('without a built console the page says how to build it', async () => {
  const page = await fetch(`${unbuilt.url}/console/inbox`)
  expect(page.status).toBe(503)
  expect(await page.text()).toContain('npm run prepare')
})

test('the page and its files count on the budget of pages of their address', async () => {
  const replies = await Promise.all(Array.from({ length: PAGES_PER_MINUTE }, () => get('/console')))
  expect(replies.map(({ status }) => status)).toContain(429)
  expect((await get('/console/assets/main-abc123.js')).status).toBe(429)
})
