import { expect } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { silentLogger } from '../../kernel/logger.ts'
import { TEST_VAULT } from '../../testing/database.ts'
import { database, test } from '../../testing/database-test.ts'
import { handleGatewayWebhook, retryLater, type WebhookHandler, webhookCleanup } from './gateway-webhooks.ts'

interface Script {
  valid?: boolean
  away?: boolean
}

/** Each webhook has its own key. The webhooks that were processed are recorded. */
function handlerNamed(name: string, script: Script, processed: string[]): WebhookHandler {
  return {
    name,
    read: rawBody => ({
      valid: script.valid ?? true,
      dedupeKey: rawBody.toString(),
      async follow() {
        if (script.away) throw retryLater()
        processed.push(rawBody.toString())
      },
    }),
  }
}

function contextWith(...handlers: WebhookHandler[]) {
  return { database, clock: systemClock(), vault: TEST_VAULT, logger: silentLogger(), handlers }
}

const deliver = (context: ReturnType<typeof contextWith>, name: string, text: string) =>
  handleGatewayWebhook(context, name, Buffer.from(text), {})

test('a webhook is processed once, however often it is delivered', async () => {
  const processed: string[] = []
  const context = contextWith(handlerNamed('one', {}, processed))
  for (const text of ['a', 'a', 'b', 'a']) await deliver(context, 'one', text)
  expect(processed).toEqual(['a', 'b'])
})

test('a webhook whose processing failed is accepted again', async () => {
  const processed: string[] = []
  const script: Script = { away: true }
  const context = contextWith(handlerNamed('two', script, processed))
  await expect(deliver(context, 'two', 'a')).rejects.toMatchObject({ code: 'service_unavailable' })
  script.away = false
  await deliver(context, 'two', 'a')
  expect(processed).toEqual(['a'])
})

test('a forged webhook is refused and not recorded', async () => {
  const processed: string[] = []
  const script: Script = { valid: false }
  const context = contextWith(handlerNamed('three', script, processed))
  await expect(deliver(context, 'three', 'a')).rejects.toMatchObject({ code: 'authentication_error' })
  script.valid = true
  await deliver(context, 'three', 'a')
  expect(processed).toEqual(['a'])
})

test('a webhook for an unknown gateway is refused', async () => {
  const context = contextWith(handlerNamed('four', {}, []))
  await expect(deliver(context, 'five', 'a')).rejects.toMatchObject({ code: 'not_found' })
})

test('two handlers of one name, each with its own secret, both receive their webhooks', async () => {
  const [first, second]: string[][] = [[], []]
  const rejecting = handlerNamed('six', { valid: false }, first ?? [])
  const context = contextWith(rejecting, handlerNamed('six', {}, second ?? []))
  await deliver(context, 'six', 'a')
  expect([first, second]).toEqual([[], ['a']])
})

test('processed webhooks are deleted after a month', async () => {
  const processed: string[] = []
  const context = contextWith(handlerNamed('seven', {}, processed))
  await deliver(context, 'seven', 'a')
  const now = context.clock.now().getTime()
  const job = webhookCleanup(context)
  expect(await job.run(new Date(now + 29 * 86_400_000))).toBe(0)
  expect(await job.run(new Date(now + 31 * 86_400_000))).toBeGreaterThan(0)
  await deliver(context, 'seven', 'a')
  expect(processed).toEqual(['a', 'a'])
})
