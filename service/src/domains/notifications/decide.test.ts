import { createECDH, randomBytes } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { rejected, value } from '../../gateways/gateway-result.ts'
import { decideMessage, decidePush } from './decide.ts'
import { decideTarget } from './subscribe.ts'

const now = new Date('2026-11-20T06:30:00.000Z')
const later = (ms: number) => new Date(now.getTime() + ms)
const attempted = { isStarted: true, now, pauseMs: 10_000 }
const responded = (status: number, retryAfter: string | null = null) =>
  decidePush({ kind: 'responded', status, retryAfter }, attempted)

describe('after an attempt', () => {
  test.each([200, 201, 202])('%i means that the notification was sent', status =>
    expect(responded(status)).toEqual({ kind: 'sent' }),
  )
  test.each([404, 410])('%i ends the subscription', status =>
    expect(responded(status)).toEqual({ kind: 'gone' }),
  )
  test.each([429, 503])('%i is tried again', status =>
    expect(responded(status)).toMatchObject({ kind: 'retry', at: later(10_000) }),
  )
  test.each([301, 400, 401, 403, 413, 500, 502, 504])('%i is never repeated', status =>
    expect(responded(status)).toMatchObject({ kind: 'dropped', pausedUntil: later(10_000) }),
  )

  test.each([
    ['5', 10_000],
    ['120', 120_000],
    ['999999999', 3_600_000],
    ['-1', 10_000],
    ['Fri, 20 Nov 2026 10:02:00 GMT', 10_000],
  ])('a pause of %s is kept within bounds', (retryAfter, ms) => {
    expect(responded(429, retryAfter)).toMatchObject({ at: later(ms) })
  })

  test('only what was never begun is repeated without a response', () => {
    const result = { kind: 'no_response', error: 'No response within 5 seconds' } as const
    expect(decidePush(result, attempted)).toMatchObject({ kind: 'dropped' })
    expect(decidePush(result, { ...attempted, isStarted: false })).toMatchObject({ kind: 'retry' })
  })

  test('a message is repeated only if its provider certainly has not taken it', () => {
    const kinds = [
      value('sent' as const),
      { kind: 'retryable', message: 'no connection' } as const,
      { kind: 'unknown', message: 'the provider did not respond in time' } as const,
      ...['429', '503', '500', '400', 'not_confirmed'].map(code => rejected(code, 'refused')),
    ].map(response => decideMessage(response, later(1)).kind)
    expect(kinds).toEqual(['sent', 'retry', 'dropped', 'retry', 'retry', 'dropped', 'dropped', 'dropped'])
  })
})

describe('in live mode', () => {
  const keys = {
    p256dh: createECDH('prime256v1').generateKeys('base64url'),
    auth: randomBytes(16).toString('base64url'),
  }
  test.each([
    'http://push.example.net/x',
    'https://127.0.0.1/x',
    'https://10.1.2.3/x',
    'https://[::1]/x',
    'https://[::ffff:169.254.169.254]/x',
    'https://0x7f000001/x',
    'https://user@push.example.net/x',
  ])('%s is refused as the address of a push service', endpoint => {
    expect(decideTarget({ endpoint, keys }, 'live')).toMatchObject({ field: 'endpoint' })
  })

  test('a public https address is accepted', () => {
    const endpoint = 'https://fcm.googleapis.com/fcm/send/abc'
    expect(decideTarget({ endpoint, keys }, 'live')).toEqual({ endpoint, ...keys })
  })
})
