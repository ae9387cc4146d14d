import { randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { listenForWebhooks, type WebhookListener } from './webhook-listener.ts'

const secret = `whsec_${randomBytes(32).toString('base64')}`
let listener: WebhookListener

beforeEach(async () => {
  listener = await listenForWebhooks()
  listener.trust(secret)
})
afterEach(() => listener.close())

/** One webhook about an event that happened so long ago. */
async function send(signer: string, { ageMs = 0, timeoutMs = 5_000 } = {}): Promise<number> {
  const now = new Date()
  const timestamp = new Date(now.getTime() - ageMs).toISOString()
  const body = JSON.stringify({ id: 'evt_1', event: 'webhook.test', timestamp, data: {} })
  const response = await fetch(`http://127.0.0.1:${listener.port}/webhooks`, {
    method: 'POST',
    headers: {
      'webhook-id': 'evt_1',
      'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
      'webhook-signature': new Webhook(signer).sign('evt_1', now, body),
    },
    body,
    signal: AbortSignal.timeout(timeoutMs),
  })
  return response.status
}

it('a webhook gets a response, is counted, and its delay is measured from its own timestamp', async () => {
  expect(await send(secret, { ageMs: 700 })).toBe(204)
  const figures = listener.read()
  expect(figures).toMatchObject({ total: 1, counted: 1, checked: 1, forged: 0, unreadable: 0 })
  expect(figures.perSecond.reduce((sum, count) => sum + count, 0)).toBe(1)
  expect(figures.p99Ms).toBeGreaterThanOrEqual(700)
  expect(figures.p99Ms).toBeLessThan(2_000)
})

it('webhooks signed with another secret are counted as invalid', async () => {
  await send(`whsec_${randomBytes(32).toString('base64')}`)
  expect(listener.read()).toMatchObject({ checked: 1, forged: 1 })
})

it('only one webhook in a thousand is verified, so that verification costs little', async () => {
  for (let count = 0; count < 20; count++) await send(secret)
  expect(listener.read()).toMatchObject({ total: 20, checked: 1 })
})

it('a hanging listener accepts webhooks without a response until its behaviour is changed back', async () => {
  listener.behave('hang')
  await expect(send(secret, { timeoutMs: 200 })).rejects.toThrow()
  expect(listener.read()).toMatchObject({ total: 0, held: 1 })
  listener.behave('respond')
  expect(await send(secret)).toBe(204)
})

it('connections that still wait for a hanging listener are closed when it responds again', async () => {
  listener.behave('hang')
  const waiting = send(secret)
  while (listener.read().held === 0) await new Promise(resolve => setTimeout(resolve, 5))
  listener.behave('respond')
  await expect(waiting).rejects.toThrow('fetch failed')
})

it('a mark starts a new count and keeps the totals', async () => {
  await send(secret)
  listener.mark()
  expect(listener.read()).toMatchObject({ total: 1, counted: 0, perSecond: [], p99Ms: 0, longestMs: 0 })
})
