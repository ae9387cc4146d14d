import { Webhook } from 'standardwebhooks'
import { expect, test } from 'vitest'
import { checkSignature, type PastedWebhook } from './check-signature.ts'

const SECRET = `whsec_${Buffer.alloc(32, 5).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 6).toString('base64')}`
const NOW = new Date('2026-11-20T10:15:30.000Z')
const BODY = '{"id":"evt_1","event":"agent.funded","data":{"amount":10.5,"note":"पैसा"}}'

function webhook(sentAt = NOW, more: Partial<PastedWebhook> = {}): PastedWebhook {
  const signature = new Webhook(SECRET).sign('evt_1', sentAt, BODY)
  const headers = `Content-Type: application/json
Webhook-Id: evt_1
webhook-timestamp: ${sentAt.getTime() / 1000}
webhook-signature: v1,AAAA ${signature}`
  return { headers, body: BODY, secret: SECRET, ...more }
}

const kindOf = async (pasted: PastedWebhook, sent?: PastedWebhook) =>
  (await checkSignature(pasted, NOW, sent)).kind

test('a webhook that the public library signed is genuine, with its headers as lines or as JSON', async () => {
  expect(await checkSignature(webhook(), NOW)).toEqual({ kind: 'genuine', sentAt: NOW })
  const lines = webhook()
    .headers.split('\n')
    .map(line => line.split(': '))
  expect(await kindOf(webhook(NOW, { headers: JSON.stringify(Object.fromEntries(lines)) }))).toBe('genuine')
  expect(await kindOf(webhook(NOW, { secret: SECRET.replace('whsec_', '') }))).toBe('genuine')
})

test('a genuine webhook is too old or too new when receivers would refuse it', async () => {
  const minutes = (count: number) => new Date(NOW.getTime() + count * 60_000)
  expect(await kindOf(webhook(minutes(-5)))).toBe('genuine')
  expect(await checkSignature(webhook(minutes(-6)), NOW)).toMatchObject({ kind: 'too old', awayMs: 360_000 })
  expect(await kindOf(webhook(minutes(6)))).toBe('too new')
})

test('a body that was parsed and serialized again is distinguished from an altered one', async () => {
  expect(await kindOf(webhook(NOW, { body: JSON.stringify(JSON.parse(BODY), null, 2) }))).toBe(
    'body rewritten',
  )
  expect(await kindOf(webhook(NOW, { body: `${BODY}\n` }))).toBe('body rewritten')
  const altered = webhook(NOW, { body: BODY.replace('10.5', '10.6') })
  expect(await kindOf(altered)).toBe('wrong secret or body altered')
  expect(await kindOf(altered, webhook())).toBe('body altered')
})

test('a wrong secret is known as such when the webhook is known as it was sent', async () => {
  expect(await kindOf(webhook(NOW, { secret: OTHER }))).toBe('wrong secret or body altered')
  expect(await kindOf(webhook(NOW, { secret: OTHER }), webhook())).toBe('wrong secret')
})

test('what cannot be checked is said: a missing header, an invalid timestamp, a secret that is none', async () => {
  expect(await checkSignature(webhook(NOW, { headers: 'webhook-id: evt_1' }), NOW)).toEqual({
    kind: 'missing header',
    header: 'webhook-timestamp',
  })
  const { headers } = webhook()
  expect(await kindOf(webhook(NOW, { headers: headers.replace(/timestamp: \d+/, 'timestamp: soon') }))).toBe(
    'invalid timestamp',
  )
  for (const secret of ['', 'whsec_', 'whsec_*']) {
    expect(await kindOf(webhook(NOW, { secret }))).toBe('invalid secret')
  }
})
