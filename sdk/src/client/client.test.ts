import { inspect } from 'node:util'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { createClient, credentialOf } from './client.ts'
import { outcome } from './errors.ts'
import type { ClientOptions, Retry } from './options.ts'

const SECRETS = {
  agentKey: 'agk_live_secret-one',
  platformId: 'plt_1',
  platformSecret: 'sk_live_secret-two',
  sessionToken: 'secret-three',
}

interface Sent {
  readonly url: string
  readonly init: RequestInit
}

let sent: Sent[]
beforeEach(() => {
  sent = []
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
})
afterEach(() => vi.useRealTimers())

type Reply = () => Response | Promise<Response>

/** A client whose requests get these responses in order, the last one repeatedly. */
function clientFor(replies: readonly Reply[], options: Partial<ClientOptions> = {}) {
  const fetch = (async (url: string, init: RequestInit) => {
    sent.push({ url, init })
    const reply = replies[Math.min(sent.length, replies.length) - 1]
    return reply?.()
  }) as typeof globalThis.fetch
  return createClient({ baseUrl: 'https://batua.example', fetch, ...options })
}

const good: Reply = () => Response.json({ status: 'ok' })
const lost: Reply = () => Promise.reject(new TypeError('fetch failed'))
const silent: Reply = () => new Promise<Response>(() => {})
const refuse =
  (status: number, error: object, headers: Record<string, string> = {}): Reply =>
  () =>
    Response.json({ error: { message: 'No', request_id: 'req_1', ...error } }, { status, headers })

const headersOf = ({ init }: Sent) => init.headers as Record<string, string>
const keys = () => sent.map(each => headersOf(each)['idempotency-key'])

/** The result of a call after all waits. */
async function finished<T>(call: Promise<T>) {
  const end = outcome(call)
  await vi.runAllTimersAsync()
  return end
}

describe('a secret of a client', () => {
  test('is not shown by any way of printing the client', () => {
    const client = clientFor([good], SECRETS)
    const shown = [inspect(client), inspect(client, { showHidden: true, depth: 9 }), JSON.stringify(client)]
    for (const text of shown) expect(text).not.toContain('secret-')
    expect(shown[2]).toBe('{"baseUrl":"https://batua.example"}')
    expect(credentialOf(client).agentKey).toBe(SECRETS.agentKey)
  })

  test.each([lost, silent, refuse(401, { code: 'authentication_error' }), () => new Response('<html>')])(
    'by no error',
    async reply => {
      const came = await finished(clientFor([reply], SECRETS).getHealth())
      expect(came.ok).toBe(false)
      expect(inspect(came, { showHidden: true, depth: 9 }) + JSON.stringify(came)).not.toContain('secret-')
    },
  )

  test('is not shown when a secret that cannot be sent is refused', () => {
    for (const bad of ['agk_live_secret\n', 'secret-ü', 'sec ret']) {
      expect(() => clientFor([good], { agentKey: bad })).toThrow(/^agentKey is not one line/)
    }
  })
})

describe('a client', () => {
  test.each([
    ['https://batua.example', 'https://batua.example/healthz'],
    ['https://batua.example/', 'https://batua.example/healthz'],
    ['http://127.0.0.1:8080/pay/v2/', 'http://127.0.0.1:8080/pay/v2/healthz'],
  ])('of %s calls %s', async (baseUrl, address) => {
    await clientFor([good], { baseUrl }).getHealth()
    expect(sent[0]?.url).toBe(address)
  })

  test.each([
    'batua.example',
    'ftp://batua.example',
    'https://a:b@batua.example',
    'https://batua.example?x=1',
    'https://batua.example/#f',
  ])('cannot be created with %s', baseUrl => expect(() => clientFor([good], { baseUrl })).toThrow(TypeError))

  test.each([
    { agentKey: null },
    { platformId: 5, platformSecret: 'sk' },
    { sessionToken: null },
    { sessionToken: 'a;service_admin_session=b' },
    { adminSessionToken: 'a,b' },
  ])('cannot be created with %j, which would be sent as another text', credentials => {
    expect(() => clientFor([good], credentials as Partial<ClientOptions>)).toThrow(TypeError)
  })

  test.each([
    { timeoutMs: Number.NaN },
    { timeoutMs: Number.POSITIVE_INFINITY },
    { timeoutMs: -1 },
    { timeoutMs: 0 },
    { timeoutMs: '5' as unknown as number },
    { maxRetries: Number.NaN },
    { maxRetries: Number.POSITIVE_INFINITY },
    { maxRetries: -1 },
    { maxRetries: 1.5 },
  ])('refuses the timeouts %o, when it is created and when it calls', async patience => {
    expect(() => clientFor([good], patience)).toThrow(RangeError)
    await expect(clientFor([good]).getHealth({}, patience)).rejects.toThrow(RangeError)
    expect(sent.length).toBe(0)
  })

  test('sends its credentials to the service, a session with its origin', async () => {
    await clientFor([good], SECRETS).getHealth()
    expect(sent[0]?.init.headers).toMatchObject({
      'x-agent-key': SECRETS.agentKey,
      'x-platform-id': SECRETS.platformId,
      'x-platform-secret': SECRETS.platformSecret,
      cookie: `service_session=${SECRETS.sessionToken}`,
      origin: 'https://batua.example',
    })
  })

  test('does not follow redirects, which would get its credentials', async () => {
    const elsewhere: Reply = () =>
      new Response(null, { status: 307, headers: { location: 'https://evil.example' } })
    expect(await finished(clientFor([elsewhere], SECRETS).getHealth())).toMatchObject({
      error: { code: 'invalid_response', status: 307 },
    })
    expect(sent.map(({ init }) => init.redirect)).toEqual(['manual'])
  })
})

describe('a response', () => {
  test('that is an error has all fields of the service’s error', async () => {
    const details = { balance: 1, required: 11, amount: 10, fee: 1 }
    const refused = refuse(402, { code: 'insufficient_balance', field: 'amount', details })
    expect(await finished(clientFor([refused]).getHealth())).toMatchObject({
      ok: false,
      error: {
        code: 'insufficient_balance',
        message: 'No',
        status: 402,
        requestId: 'req_1',
        field: 'amount',
        details,
        retryAfterMs: null,
      },
    })
  })

  test.each(['<html>', '', '[]', '"ok"', '{"error": {}}', '{"error": "no"}'])(
    'that is not the service’s is an error: %s',
    async text => {
      const statuses = text.startsWith('{') ? [400] : [200, 400]
      for (const status of statuses) {
        const headers = { 'x-request-id': 'req_9' }
        const strange: Reply = () => new Response(text, { status, headers })
        const expected = { code: 'invalid_response', status, requestId: 'req_9' }
        expect(await finished(clientFor([strange]).getHealth())).toMatchObject({ error: expected })
      }
    },
  )
})

describe('the body of a response', () => {
  const mebibyte = new Uint8Array(1_048_576).fill(0x20)

  /** So many MiB of spaces and then a valid response, cut within a character. */
  function longResponse(mebibytes: number) {
    const seen = { mebibytes: 0, isCancelled: false }
    const [head, tail] = [new Uint8Array([0x7b, 0x22, 0xc3]), new Uint8Array([0xbc, 0x22, 0x3a, 0x31, 0x7d])]
    const end = [tail, head]
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const next = seen.mebibytes < mebibytes ? mebibyte : end.pop()
        if (next === undefined) return controller.close()
        if (next === mebibyte) seen.mebibytes += 1
        controller.enqueue(next)
      },
      cancel() {
        seen.isCancelled = true
      },
    })
    return { seen, reply: () => new Response(body) }
  }

  test('is read completely, wherever it is split', async () => {
    const { seen, reply } = longResponse(14)
    expect(await finished(clientFor([reply]).getHealth())).toEqual({ ok: true, value: { ü: 1 } })
    expect(seen).toEqual({ mebibytes: 14, isCancelled: false })
  })

  test('is not read further when it is longer than any response of the service', async () => {
    const { seen, reply } = longResponse(64)
    const client = clientFor([reply])
    expect(await finished(client.getHealth())).toMatchObject({
      error: { code: 'invalid_response', status: 200 },
    })
    expect(seen.isCancelled).toBe(true)
    expect(seen.mebibytes).toBeLessThan(36)
  })
})

describe('a call', () => {
  test('that is repeated is identical, its key included', async () => {
    const retries: Retry[] = []
    const replies = [lost, silent, refuse(503, { code: 'service_unavailable' }, { 'retry-after': '2' }), good]
    const client = clientFor(replies, { onRetry: retry => retries.push(retry) })
    const came = await finished(client.pay({ agent_id: 'agt_1', to: 'translator', amount: 1 }))
    expect(came).toEqual({ ok: true, value: { status: 'ok' } })
    expect(new Set(keys()).size).toBe(1)
    expect(new Set(sent.map(({ init }) => init.body)).size).toBe(1)
    expect(retries.map(({ operation, attempt, code }) => `${operation} ${attempt} ${code}`)).toEqual([
      'pay 1 network_error',
      'pay 2 timeout',
      'pay 3 service_unavailable',
    ])
    expect(retries[2]?.delayMs).toBeGreaterThanOrEqual(2_000)
  })

  test('is sent once if repeats are turned off', async () => {
    const client = clientFor([lost])
    const change = await finished(client.updateAgent({ agent_id: 'agt_1', name: 'New' }))
    expect(change).toMatchObject({ error: { code: 'network_error', status: null } })
    await finished(client.getHealth({}, { maxRetries: 0 }))
    expect(sent.length).toBe(2)
  })

  test('has a new key or the given one if it is a POST, and otherwise none', async () => {
    const client = clientFor([good])
    await client.testWebhook()
    await client.testWebhook()
    await client.testWebhook({}, { idempotencyKey: 'mine' })
    await client.getHealth()
    const [first, second, ...others] = keys()
    expect(first).toMatch(/^[0-9a-f]{32}$/)
    expect(second).not.toBe(first)
    expect(others).toEqual(['mine', undefined])
    expect(await finished(client.testWebhook({}, { idempotencyKey: 'ключ' }))).toMatchObject({
      error: { code: 'validation_error', field: 'Idempotency-Key' },
    })
  })

  test('that would have to wait longer than a minute says how long', async () => {
    const busy = refuse(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '61' })
    expect(await finished(clientFor([busy]).getHealth())).toMatchObject({
      error: { code: 'rate_limit_exceeded', retryAfterMs: 61_000 },
    })
    expect(sent.length).toBe(1)
  })
})

describe('an abort ends a call at once with its reason', () => {
  const reason = new Error('enough')

  test('an abort before a call begins sends nothing', async () => {
    const signal = AbortSignal.abort(reason)
    await expect(clientFor([good]).getHealth({}, { signal })).rejects.toBe(reason)
    expect(sent.length).toBe(0)
  })

  test('an abort ends a call that runs, also if fetch ignores it', async () => {
    const abort = new AbortController()
    const call = clientFor([silent]).getHealth({}, { signal: abort.signal })
    abort.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect(sent[0]?.init.signal?.aborted).toBe(true)
    expect(vi.getTimerCount()).toBe(0)
  })

  test('an abort ends a call that waits to be repeated', async () => {
    const abort = new AbortController()
    const busy = refuse(429, { code: 'rate_limit_exceeded' }, { 'retry-after': '50' })
    const waits = Promise.withResolvers<Retry>()
    const client = clientFor([busy], { onRetry: waits.resolve })
    const call = client.getHealth({}, { signal: abort.signal })
    await waits.promise
    abort.abort(reason)
    await expect(call).rejects.toBe(reason)
    expect([sent.length, vi.getTimerCount()]).toEqual([1, 0])
  })
})
