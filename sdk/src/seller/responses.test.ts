import { createHash } from 'node:crypto'
import { expect, test } from 'vitest'
import { decodeChallenge } from '../protocol/headers.ts'
import { challengeResponse, unavailableResponse } from './responses.ts'

const challenge = {
  payTo: 'weather',
  amount: '12.50',
  asset: 'INR',
  nonce: '6880aa69-d741-8af2-84f5-9676453066b8',
} as const

function responseTo(accept: string | null, change: object = {}, path = '/weather?city=Pune') {
  const request = { method: 'GET', path, header: (name: string) => (name === 'accept' ? accept : null) }
  return challengeResponse({
    request,
    challenge,
    description: 'The weather',
    reason: null,
    isGivenBack: false,
    ...change,
  })
}

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'

test('a program gets JSON that repeats the challenge, and nothing of a 402 is ever cached', () => {
  for (const accept of [null, '*/*', 'application/json', 'application/json, text/html', 'text/plain']) {
    const { status, headers, body } = responseTo(accept)
    expect(status).toBe(402)
    expect(headers).toMatchObject({
      'Cache-Control': 'no-store',
      Vary: 'Accept',
      'Access-Control-Expose-Headers': 'X-SERVICE-PAY',
    })
    expect(decodeChallenge(headers['X-SERVICE-PAY'] ?? '')).toEqual(challenge)
    expect(JSON.parse(body)).toMatchObject({
      error: { code: 'payment_required', details: {} },
      payment: challenge,
    })
    expect(body).toContain('The weather costs 12.50 INR. Pay weather')
  }
  expect(JSON.parse(responseTo(null, { reason: 'nonce_expired' }).body)).toMatchObject({
    error: { details: { reason: 'nonce_expired' } },
  })
})

test('a browser gets a page that loads nothing, whose policy allows only its own style', () => {
  const { headers, body } = responseTo(BROWSER, { reason: 'nonce_expired' })
  const style = /<style>(.*)<\/style>/s.exec(body)?.[1] ?? ''
  const hash = createHash('sha256').update(style).digest('base64')
  expect(headers['Content-Security-Policy']).toContain(`default-src 'none'; style-src 'sha256-${hash}'`)
  expect(headers).toMatchObject({
    'Content-Type': 'text/html; charset=utf-8',
    'X-Content-Type-Options': 'nosniff',
    'Cache-Control': 'no-store',
  })
  expect(decodeChallenge(headers['X-SERVICE-PAY'] ?? '')).toEqual(challenge)
  expect(body).not.toMatch(/https?:|<script|<img|<link| style=| on\w+=/)
  for (const said of ['₹12.50', 'weather', 'payingFetch', 'given out too long ago'])
    expect(body).toContain(said)
})

test('the page shows what it is given as text, and stays below 4 kB whatever the address', () => {
  const hostile = `<script>alert("1")</script>&'`
  const change = { description: hostile, challenge: { ...challenge, payTo: hostile.slice(0, 60) } }
  const { body } = responseTo(BROWSER, change, `/${hostile.repeat(500)}`)
  expect(body).not.toMatch(/<script|alert\("/)
  expect(body).toContain('&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;&amp;&#39;')
  expect(new TextEncoder().encode(body).length).toBeLessThan(4_096)
})

test('a proof that cannot be checked is answered with whole seconds to wait, at least one', () => {
  for (const [ms, seconds] of [
    [null, '1'],
    [0, '1'],
    [1_001, '2'],
    [60_000, '60'],
  ] as const) {
    expect(unavailableResponse(ms).headers['Retry-After']).toBe(seconds)
  }
})
