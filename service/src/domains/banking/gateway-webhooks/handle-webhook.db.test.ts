import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../../kernel/clock.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import { createTestDatabase, TEST_VAULT, type TestDatabase } from '../../../testing/database.ts'
import { handleGatewayWebhook, retryLater } from './handle-webhook.ts'
import { gatewayWebhookJobs } from './jobs.ts'
import type { WebhookHandler } from './webhook-handler.ts'

let db: TestDatabase

beforeAll(async () => {
  db = await createTestDatabase()
})
afterAll(() => db.drop())

interface Script {
  valid?: boolean
  away?: boolean
}

/** A notice is its own key. What was followed is written down. */
function takerNamed(name: string, script: Script, followed: string[]): WebhookHandler {
  return {
    name,
    read: rawBody => ({
      valid: script.valid ?? true,
      dedupeKey: rawBody.toString(),
      async follow() {
        if (script.away) throw retryLater()
        followed.push(rawBody.toString())
      },
    }),
  }
}

function context(...handlers: WebhookHandler[]) {
  return { database: db.database, clock: systemClock(), vault: TEST_VAULT, logger: silentLogger(), handlers }
}

const take = (notices: ReturnType<typeof context>, name: string, text: string) =>
  handleGatewayWebhook(notices, name, Buffer.from(text), {})

test('a notice is followed once, however often it comes', async () => {
  const followed: string[] = []
  const notices = context(takerNamed('one', {}, followed))
  for (const text of ['a', 'a', 'b', 'a']) await take(notices, 'one', text)
  expect(followed).toEqual(['a', 'b'])
})

test('a notice that was followed in vain is welcome again', async () => {
  const followed: string[] = []
  const script: Script = { away: true }
  const notices = context(takerNamed('two', script, followed))
  await expect(take(notices, 'two', 'a')).rejects.toMatchObject({ code: 'service_unavailable' })
  script.away = false
  await take(notices, 'two', 'a')
  expect(followed).toEqual(['a'])
})

test('a forged notice is refused and not remembered', async () => {
  const followed: string[] = []
  const script: Script = { valid: false }
  const notices = context(takerNamed('three', script, followed))
  await expect(take(notices, 'three', 'a')).rejects.toMatchObject({ code: 'authentication_error' })
  script.valid = true
  await take(notices, 'three', 'a')
  expect(followed).toEqual(['a'])
})

test('nobody takes what comes under an unknown name', async () => {
  const notices = context(takerNamed('four', {}, []))
  await expect(take(notices, 'five', 'a')).rejects.toMatchObject({ code: 'not_found' })
})

test('two takers of one name, with a secret each, both get what is theirs', async () => {
  const [first, second]: string[][] = [[], []]
  const deaf = takerNamed('six', { valid: false }, first ?? [])
  const notices = context(deaf, takerNamed('six', {}, second ?? []))
  await take(notices, 'six', 'a')
  expect([first, second]).toEqual([[], ['a']])
})

test('notices are forgotten after a month', async () => {
  const followed: string[] = []
  const notices = context(takerNamed('seven', {}, followed))
  await take(notices, 'seven', 'a')
  const now = notices.clock.now().getTime()
  const [job] = gatewayWebhookJobs(notices)
  expect(await job?.run(new Date(now + 29 * 86_400_000))).toBe(0)
  expect(await job?.run(new Date(now + 31 * 86_400_000))).toBeGreaterThan(0)
  await take(notices, 'seven', 'a')
  expect(followed).toEqual(['a', 'a'])
})
