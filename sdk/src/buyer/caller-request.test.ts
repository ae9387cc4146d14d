import { describe, expect, test, vi } from 'vitest'
import { callerRequest } from './caller-request.ts'

const KEY = 'agk_live_test'
const ADDRESS = 'https://shop.example/weather?city=Pune'

/** A `fetch` that returns the request that it would send. */
const seen: Request[] = []
const recordingFetch: typeof fetch = async (input, init) => {
  seen.push(new Request(input, init))
  return new Response()
}

async function requestOf(input: string | URL | Request, init?: RequestInit, agentKey = KEY) {
  const request = await callerRequest(recordingFetch, agentKey, input, init)
  if (request === null) throw new Error('no address')
  return request
}

async function keyOf(
  input: string | URL | Request,
  init?: RequestInit,
  agentKey = KEY,
): Promise<string | null> {
  return (await requestOf(input, init, agentKey)).key
}

function form(file: string): FormData {
  const entries = new FormData()
  entries.set('city', 'Pune')
  entries.set('map', new File([file], 'map.txt', { type: 'text/plain' }))
  return entries
}

describe('the key of a request', () => {
  test('is the same for all spellings of one request', async () => {
    const key = await keyOf(ADDRESS)
    expect(key).toMatch(/^[0-9a-f]{64}$/)
    const others = [
      keyOf(new URL(ADDRESS)),
      keyOf(new Request(ADDRESS)),
      keyOf(`${ADDRESS}#today`),
      keyOf(ADDRESS, { method: 'get', body: null }),
      keyOf(ADDRESS, { headers: { 'x-trace': '1' } }),
    ]
    expect(await Promise.all(others)).toEqual(others.map(() => key))
  })

  test('differs by payer, method, address and body', async () => {
    const keys = await Promise.all([
      keyOf(ADDRESS),
      keyOf(ADDRESS, {}, 'agk_live_other'),
      keyOf(`${ADDRESS}&days=2`),
      keyOf(ADDRESS, { method: 'POST' }),
      keyOf(ADDRESS, { method: 'POST', body: 'a' }),
      keyOf(ADDRESS, { method: 'PUT', body: 'a' }),
      keyOf(ADDRESS, { method: 'POST', body: 'b' }),
      keyOf(ADDRESS, { method: 'POST', body: form('a') }),
      keyOf(ADDRESS, { method: 'POST', body: form('b') }),
    ])
    expect(new Set(keys).size).toBe(keys.length)
  })

  test('is the same for the same content as text, bytes, Blob or Request', async () => {
    const bytes = new TextEncoder().encode('a=1')
    const bodies = ['a=1', bytes, bytes.buffer, new Blob(['a=1']), new URLSearchParams('a=1')]
    const keys = await Promise.all(bodies.map(body => keyOf(ADDRESS, { method: 'POST', body })))
    expect(new Set([...keys, await keyOf(new Request(ADDRESS, { method: 'POST', body: 'a=1' }))]).size).toBe(
      1,
    )
  })

  test('of a form depends on its entries, not on its boundary', async () => {
    const post = (body: FormData) => ({ method: 'POST', body })
    const key = await keyOf(ADDRESS, post(form('a')))
    expect(await keyOf(ADDRESS, post(form('a')))).toBe(key)
    expect(await keyOf(new Request(ADDRESS, post(form('a'))))).toBe(key)
  })

  test('is missing if the body is a stream', async () => {
    const body = new Blob(['a']).stream()
    expect(await keyOf(ADDRESS, { method: 'POST', body, duplex: 'half' })).toBeNull()
  })
})

test('a body keeps its type if a server has replaced the global Response', async () => {
  vi.stubGlobal(
    'Response',
    class extends Response {
      override readonly headers = new Headers({ 'content-type': 'text/plain' })
    },
  )
  try {
    const { hop } = await requestOf(ADDRESS, { method: 'POST', body: new Blob(['a'], { type: 'image/png' }) })
    expect(hop.headers.get('content-type')).toBe('image/png')
  } finally {
    vi.unstubAllGlobals()
  }
})

describe('a request sent again', () => {
  const bodies: [string, () => RequestInit['body'], RegExp][] = [
    ['text', () => 'a=1', /^text\/plain/],
    ['bytes', () => new TextEncoder().encode('a=1'), /^$/],
    ['a Blob', () => new Blob(['a=1'], { type: 'image/png' }), /^image\/png$/],
    ['parameters', () => new URLSearchParams('a=1'), /^application\/x-www-form-urlencoded/],
    ['empty text', () => '', /^text\/plain/],
    ['no bytes', () => new Uint8Array(), /^$/],
    ['an empty Blob', () => new Blob([]), /^$/],
    ['no parameters', () => new URLSearchParams(), /^application\/x-www-form-urlencoded/],
    ['a form', () => form('a=1'), /^multipart\/form-data; boundary=/],
  ]
  test.each(bodies)('has the body of the first one, passed as %s', async (_name, body, type) => {
    const inits = [body(), body()].map(each => ({ method: 'POST', body: each ?? null }))
    const [init = {}, other = {}] = inits
    for (const request of [await requestOf(ADDRESS, init), await requestOf(new Request(ADDRESS, other))]) {
      seen.length = 0
      await request.send()
      await request.resend(request.hop)
      await request.resend(request.hop)
      const [first, ...again] = await Promise.all(
        seen.map(each =>
          each
            .clone()
            .formData()
            .catch(() => each.text()),
        ),
      )
      const plain = (content: unknown) => (content instanceof FormData ? [...content.keys()] : content)
      expect(again.map(plain)).toEqual([plain(first), plain(first)])
      for (const each of seen) expect(each.headers.get('content-type') ?? '').toMatch(type)
    }
  })

  test('keeps the caller’s headers and settings, but follows no redirect', async () => {
    const init = { headers: { 'x-trace': '1' }, credentials: 'include', redirect: 'follow' } as const
    for (const request of [await requestOf(ADDRESS, init), await requestOf(new Request(ADDRESS, init))]) {
      seen.length = 0
      await request.resend(request.hop)
      await request.resend({ ...request.hop, url: new URL('/other', ADDRESS) })
      for (const { headers, credentials, redirect } of seen) {
        expect([headers.get('x-trace'), credentials, redirect]).toEqual(['1', 'include', 'manual'])
      }
      expect(seen.map(({ url }) => url)).toEqual([ADDRESS, 'https://shop.example/other'])
    }
  })
})

test('later changes by the caller have no effect on the call', async () => {
  const [url, body] = [new URL(ADDRESS), new TextEncoder().encode('Pune')]
  const init = { method: 'POST', headers: new Headers({ 'x-city': 'Pune' }), body }
  const asked = requestOf(url, init)
  url.searchParams.set('city', 'Goa')
  init.headers.set('x-city', 'Goa')
  init.method = 'PUT'
  body.fill(0)
  seen.length = 0
  const request = await asked
  await request.send()
  await request.resend(request.hop)
  for (const each of seen) {
    const { method, headers } = each
    expect([each.url, method, headers.get('x-city')]).toEqual([ADDRESS, 'POST', 'Pune'])
    expect(await each.text()).toBe('Pune')
  }
  expect(seen).toHaveLength(2)
})

test('settings may come from another Request', async () => {
  seen.length = 0
  const settings = new Request(ADDRESS, { method: 'DELETE', credentials: 'omit' })
  await (await requestOf(ADDRESS, settings)).send()
  expect(seen.map(({ method, credentials }) => [method, credentials])).toEqual([['DELETE', 'omit']])
})

test('an endless body is read until an abort', async () => {
  const body = new ReadableStream({ pull: () => new Promise(() => {}) })
  const controller = new AbortController()
  const { signal } = controller
  const asked = requestOf(new Request(ADDRESS, { method: 'POST', body, duplex: 'half', signal }))
  controller.abort(new Error('enough'))
  await expect(asked).rejects.toThrow('enough')
})

test('an invalid address is passed to fetch', async () => {
  expect(await callerRequest(recordingFetch, KEY, 'nowhere', undefined)).toBeNull()
})
