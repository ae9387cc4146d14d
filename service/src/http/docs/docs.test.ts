import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestServer, type TestServer } from '../../testing/test-server.ts'
import { addDocs } from './docs.ts'

let server: TestServer

beforeAll(async () => {
  server = await startTestServer(started =>
    addDocs(started, { title: 'Batua', version: '1.0.0', description: 'Wallets', serverUrl: 'http://x' }),
  )
})
afterAll(() => server.close())

test('the reference page and its script come from this server and name no other', async () => {
  const page = await fetch(`${server.url}/docs`)
  expect(page.status).toBe(200)
  const html = await page.text()
  expect(html).not.toMatch(/https?:\/\//)
  for (const off of ['"withDefaultFonts": false', '"telemetry": false', '"proxyUrl": ""'])
    expect(html).toContain(off)
  const script = /<script src="([^"]+)"/.exec(html)?.[1] ?? ''
  const code = await fetch(new URL(script, page.url))
  expect(code.headers.get('content-type')).toContain('javascript')
  expect((await code.text()).length).toBeGreaterThan(1_000_000)
})

test('the content security policy limits the page to this origin', async () => {
  const { headers } = await fetch(`${server.url}/docs/`)
  const policy = new Map(
    (headers.get('content-security-policy') ?? '').split('; ').map(line => {
      const [name = '', ...sources] = line.split(' ')
      return [name, sources] as const
    }),
  )
  expect(policy.get('default-src')).toEqual(["'none'"])
  expect(policy.get('connect-src')).toEqual(["'self'"])
  expect(policy.get('font-src')).toEqual(["'self'", 'data:'])
  expect(policy.get('script-src')).toEqual(["'self'", expect.stringMatching(/^'sha256-/)])
})

test('the OpenAPI document is served as JSON to every origin', async () => {
  const response = await fetch(`${server.url}/openapi.json`)
  expect(response.headers.get('access-control-allow-origin')).toBe('*')
  expect(await response.json()).toMatchObject({ openapi: '3.1.0', info: { title: 'Batua' } })
})

test('the icon is this server’s own', async () => {
  const icon = await fetch(`${server.url}/favicon.ico`)
  expect([icon.status, icon.headers.get('content-type')]).toEqual([200, 'image/svg+xml'])
  expect(await icon.text()).toMatch(/^<svg [^>]*viewBox/)
})

test('the page calls the host under which the browser opened it, also localhost', async () => {
  const { port } = server
  const at = (name: string, path: string) => fetch(`http://${name}:${port}${path}`)
  for (const name of ['127.0.0.1', 'localhost']) {
    const html = await (await at(name, '/docs/')).text()
    const path = /"url": "([^"]+)"/.exec(html)?.[1] ?? ''
    expect(await (await at(name, path)).json()).toMatchObject({ servers: [{ url: '/' }] })
  }
  expect(await (await at('localhost', '/openapi.json')).json()).toMatchObject({
    servers: [{ url: 'http://x' }],
  })
})

test('every guide that the page links to is served as readable text', async () => {
  const { info } = (await (await fetch(`${server.url}/docs/openapi.json`)).json()) as {
    readonly info: { readonly description: string }
  }
  const links = [...info.description.matchAll(/\]\((\/docs\/guides\/[^)]+)\)/g)].map(([, path = '']) => path)
  expect(links.length).toBeGreaterThan(5)
  for (const path of links) {
    const guide = await fetch(server.url + path)
    expect([path, guide.status, guide.headers.get('content-type')]).toEqual([
      path,
      200,
      'text/plain; charset=utf-8',
    ])
    expect(await guide.text()).toMatch(/^# /)
  }
})
