import { createHmac, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, test } from 'vitest'
import {
  verifyWebhook,
  type WebhookRefusalReason,
  type WebhookToVerify,
  WebhookVerificationError,
} from './webhooks.ts'

const ID = 'evt_01h455vb4pex5vsknk084sn02q'
const EVENT = { id: ID, event: 'agent.funded', data: { name: 'आपा', amount: 12.5 } }
const BODY = JSON.stringify(EVENT)
const NOW = new Date('2026-11-20T10:00:00.500Z')
const NOW_SECONDS = 1_795_168_800
const SECRET = newSecret()

function newSecret(): string {
  return `whsec_${randomBytes(32).toString('base64')}`
}

/** The service's headers, signed by the public library. */
function signed(secrets: readonly string[], { body = BODY, at = NOW } = {}) {
  return {
    'content-type': 'application/json',
    'webhook-id': ID,
    'webhook-timestamp': String(Math.floor(at.getTime() / 1_000)),
    'webhook-signature': secrets.map(secret => new Webhook(secret).sign(ID, at, body)).join(' '),
  }
}

/** A valid webhook except for the given changes. */
function verified(webhook: Partial<WebhookToVerify>) {
  return verifyWebhook({ secret: SECRET, headers: signed([SECRET]), body: BODY, now: NOW, ...webhook })
}

async function reasonOf(webhook: Partial<WebhookToVerify>): Promise<WebhookRefusalReason> {
  const error = await verified(webhook).catch((error: unknown) => error)
  if (error instanceof WebhookVerificationError) return error.reason
  throw new Error(`not refused as a webhook: ${String(error)}`)
}

describe('a genuine webhook', () => {
  const uint8 = new TextEncoder().encode(BODY)
  test.each<[string, WebhookToVerify['body']]>([
    ['a string', BODY],
    ['a Uint8Array', uint8],
    ['a Buffer out of a pool', Buffer.from(BODY)],
    ['an ArrayBuffer', uint8.buffer],
  ])('signed by the public library returns the event, from %s', async (_name, body) => {
    expect(await verified({ body })).toEqual(EVENT)
  })

  const headers = signed([SECRET])
  const upper = Object.entries(headers).map(([name, value]) => [name.toUpperCase(), value])
  const lists = Object.entries(headers).map(([name, value]) => [name, [value]])
  test.each<[string, WebhookToVerify['headers']]>([
    ['Headers', new Headers(headers)],
    ['a record in upper case', Object.fromEntries(upper)],
    ['a record of lists', Object.fromEntries(lists)],
  ])('is accepted with its headers as %s', async (_name, headers) => {
    expect(await verified({ headers })).toEqual(EVENT)
  })

  test('verifies with both secrets during a rotation, whichever of them signed', async () => {
    const old = newSecret()
    for (const signers of [[SECRET], [old], [SECRET, old], [old, SECRET]]) {
      const headers = signed(signers)
      expect(await verified({ secret: [SECRET, old], headers })).toEqual(EVENT)
      for (const secret of signers) expect(await verified({ secret, headers })).toEqual(EVENT)
    }
  })

  test('signed by hand as the standard says verifies here and with the public library', async () => {
    const at = new Date()
    const content = `${ID}.${Math.floor(at.getTime() / 1_000)}.${BODY}`
    const mac = createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64'))
      .update(content)
      .digest('base64')
    const headers = { ...signed([SECRET], { at }), 'webhook-signature': `v1,${mac}` }
    expect(await verifyWebhook({ secret: SECRET, headers, body: BODY })).toEqual(EVENT)
    expect(new Webhook(SECRET).verify(BODY, headers)).toEqual(EVENT)
  })

  test('from the standard’s example has a valid signature, and only its body is refused', async () => {
    const headers = {
      'webhook-id': 'msg_p5jXN8AQM9LWM0D4loKWxJek',
      'webhook-timestamp': '1614265330',
      'webhook-signature': 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
    }
    const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'
    const example = { secret, headers, body: '{"test": 2432232314}', now: new Date(1_614_265_330_000) }
    expect(await reasonOf(example)).toBe('invalid_body')
    expect(await reasonOf({ ...example, body: '{"test": 2432232315}' })).toBe('signature_mismatch')
  })

  test('may have signatures of unknown versions, which are ignored', async () => {
    const { 'webhook-signature': signature, ...rest } = signed([SECRET])
    const list = `v1a,${signature.slice(3)} v2,abc ${signature}`
    expect(await verified({ headers: { ...rest, 'webhook-signature': list } })).toEqual(EVENT)
  })

  test('with an unknown event name is returned', async () => {
    const body = '{"event":"agent.promoted"}'
    expect(await verified({ body, headers: signed([SECRET], { body }) })).toEqual({ event: 'agent.promoted' })
  })
})

describe('a webhook is refused', () => {
  test('if its body, id, timestamp or secret does not match the signature', async () => {
    const headers = signed([SECRET])
    expect(await reasonOf({ body: `${BODY} ` })).toBe('signature_mismatch')
    expect(await reasonOf({ secret: newSecret() })).toBe('signature_mismatch')
    expect(await reasonOf({ headers: { ...headers, 'webhook-id': `${ID}x` } })).toBe('signature_mismatch')
    const later = String(NOW_SECONDS + 1)
    expect(await reasonOf({ headers: { ...headers, 'webhook-timestamp': later } })).toBe('signature_mismatch')
  })

  const mac = createHmac('sha256', Buffer.from(SECRET.slice(6), 'base64')).update(
    `${ID}.${NOW_SECONDS}.${BODY}`,
  )
  const digest = mac.digest()
  test.each([
    ['of no version', digest.toString('base64')],
    ['of another version', `v2,${digest.toString('base64')}`],
    ['cut short', `v1,${digest.subarray(0, 16).toString('base64')}`],
    ['with a byte more', `v1,${Buffer.concat([digest, Buffer.of(0)]).toString('base64')}`],
    ['in hexadecimal', `v1,${digest.toString('hex')}`],
    ['that is empty', 'v1,'],
    ['that is no base64', 'v1,%%%'],
  ])('if its signature is %s', async (_name, signature) => {
    const headers = { ...signed([SECRET]), 'webhook-signature': signature }
    expect(await reasonOf({ headers })).toBe('signature_mismatch')
  })

  test('if only a signature far down a long list matches', async () => {
    const { 'webhook-signature': signature, ...rest } = signed([SECRET])
    const list = `${'v1,AAAA '.repeat(10)}${signature}`
    expect(await reasonOf({ headers: { ...rest, 'webhook-signature': list } })).toBe('signature_mismatch')
  })

  test.each(['webhook-id', 'webhook-timestamp', 'webhook-signature'])('without the header %s', async name => {
    const headers: Record<string, string> = signed([SECRET])
    expect(await reasonOf({ headers: { ...headers, [name]: '' } })).toBe('missing_header')
    expect(await reasonOf({ headers: new Headers({ ...headers, [name]: '' }) })).toBe('missing_header')
    delete headers[name]
    expect(await reasonOf({ headers })).toBe('missing_header')
    expect(await reasonOf({ headers: new Headers(headers) })).toBe('missing_header')
  })

  test.each(['soon', '1795168800.5', '0x6b000000', '-1', ' 1795168800', '9'.repeat(400)])(
    'if its timestamp is not an integer of seconds (%s), before anything is computed',
    async timestamp => {
      const headers = { ...signed([SECRET]), 'webhook-timestamp': timestamp }
      expect(await reasonOf({ headers })).toBe('invalid_timestamp')
    },
  )

  test('if its timestamp differs by more than 300 seconds in either direction', async () => {
    const away = (seconds: number) => ({
      headers: signed([SECRET], { at: new Date((NOW_SECONDS + seconds) * 1_000) }),
    })
    expect(await verified(away(-300))).toEqual(EVENT)
    expect(await verified(away(300))).toEqual(EVENT)
    expect(await reasonOf(away(-301))).toBe('timestamp_too_old')
    expect(await reasonOf(away(301))).toBe('timestamp_too_new')
    expect(await verified({ ...away(-301), toleranceSeconds: 301 })).toEqual(EVENT)
    expect(await reasonOf({ ...away(-1), toleranceSeconds: 0 })).toBe('timestamp_too_old')
  })

  test('if the tolerance or the time is not a number', async () => {
    expect(await reasonOf({ toleranceSeconds: Number.NaN })).toBe('timestamp_too_old')
    expect(await reasonOf({ now: new Date('soon') })).toBe('timestamp_too_old')
  })

  test.each(['', 'agent.funded', 'null', '[]', '{"id":"evt_1"}', '{"event":'])(
    'if its signed body is not an event (%s)',
    async body => {
      expect(await reasonOf({ body, headers: signed([SECRET], { body }) })).toBe('invalid_body')
    },
  )
})

describe('an error of the receiver’s own program', () => {
  const unset = [undefined] as unknown as string[]
  test.each<[string, WebhookToVerify['secret']]>([
    ['no text', unset],
    ['empty', ''],
    ['a prefix alone', 'whsec_'],
    ['without its prefix', SECRET.slice(6)],
    ['too short', `whsec_${randomBytes(16).toString('base64')}`],
    ['no base64', `${SECRET.slice(0, -3)}%%%`],
    ['no secret at all', []],
    ['bad in a list', [SECRET, 'whsec_']],
  ])(
    'such as a secret that is %s throws at once and is not reported as an invalid webhook',
    async (_name, secret) => {
      const error = await verified({ secret }).catch((error: unknown) => error)
      expect(error).toBeInstanceOf(TypeError)
      expect(String(error)).not.toContain(SECRET.slice(6, 20))
    },
  )

  test('such as a parsed body throws at once', async () => {
    const body = EVENT as unknown as string
    await expect(verified({ body })).rejects.toThrow('verify first, then parse')
  })
})
