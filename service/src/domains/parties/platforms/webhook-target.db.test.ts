import { beforeEach, describe, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { database, test } from '../../../testing/database-test.ts'
import { factsDuring } from '../../../testing/facts.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { networkContext, newPlatform } from '../../../testing/network.ts'
import type { PlatformsContext } from './context.ts'
import { rotateWebhookSecret } from './secrets.ts'
import { disableWebhookUrl } from './store.ts'
import { updatePlatform } from './update-platform.ts'
import { readWebhookTarget } from './webhook-target.ts'

const NOON = new Date('2026-11-20T06:30:00.000Z')
const ACTOR = service('test')
const ADDRESS = 'https://example.com/webhooks'

let clock: ManualClock
let context: PlatformsContext
let platformId: Uuid
let firstSecret: string
/** The platforms for which the delivery was woken. */
let resumed: Uuid[] = []

test.beforeAll(async () => {
  clock = manualClock(NOON)
})

beforeEach(async () => {
  const network = networkContext(database, clock)
  context = {
    ...network,
    resumeWebhooks: async (_tx, id) => {
      resumed.push(id)
    },
  }
  const created = await newPlatform(network)
  platformId = created.platform.id
  firstSecret = created.webhookSecret
  resumed = []
})

const target = () => readWebhookTarget(database, context.vault, platformId, clock.now())
const secrets = async () => (await target())?.secrets
const rotate = async () => (await rotateWebhookSecret(context, ACTOR, platformId)).secret
const setUrl = (webhook_url: string | null) => updatePlatform(context, ACTOR, platformId, { webhook_url })
const disable = (url = ADDRESS) => disableWebhookUrl(database, platformId, url, clock.now())

describe('webhook secrets', () => {
  test('replaced webhook secrets sign for a day each, newest first, so that two rotations exclude no receiver', async () => {
    expect(await secrets()).toEqual([firstSecret])
    const second = await rotate()
    clock.advance(DAY_MS / 2)
    const third = await rotate()
    expect(await secrets()).toEqual([third, second, firstSecret])
    clock.advance(DAY_MS / 2)
    expect(await secrets()).toEqual([third, second])
    clock.advance(DAY_MS / 2)
    expect(await secrets()).toEqual([third])
  })

  test('at most five replaced webhook secrets sign at a time, and they are deleted once none signs', async () => {
    const rotated = [firstSecret]
    for (let count = 0; count < 7; count++) rotated.push(await rotate())
    expect(await secrets()).toEqual(rotated.toReversed().slice(0, 6))
    clock.advance(DAY_MS)
    await rotate()
    const [kept] = await database.query<{ count: bigint }>(
      `select count(*) as count from previous_webhook_secrets where platform_id = $1`,
      [platformId],
    )
    expect(kept?.count).toBe(1n)
  })

  test('webhook secrets of concurrent rotations all sign', async () => {
    const rotated = await Promise.all([rotate(), rotate(), rotate()])
    expect((await secrets())?.toSorted()).toEqual([firstSecret, ...rotated].toSorted())
  })

  test('webhook secrets are stored encrypted', async () => {
    await rotate()
    const rows = await database.query<{ secret: Buffer }>(
      `select secret from previous_webhook_secrets where platform_id = $1`,
      [platformId],
    )
    expect(rows[0]?.secret.toString('latin1')).not.toContain(firstSecret.slice(0, 12))
  })
})

describe('a receiver that is gone', () => {
  test('a receiver that is gone gets nothing until an address is set, even the same; this is recorded and wakes the delivery', async () => {
    await setUrl(ADDRESS)
    await disable()
    expect(await target()).toMatchObject({ url: ADDRESS, disabledAt: clock.now() })
    resumed = []
    const facts = await factsDuring(database, () => setUrl(ADDRESS))
    expect(facts).toMatchObject([{ action: 'platform.updated', data: { webhooks: 'resumed' } }])
    expect(await target()).toMatchObject({ url: ADDRESS, disabledAt: null })
    expect(resumed).toEqual([platformId])
  })

  test('a receiver is gone since the first time that it said so', async () => {
    await setUrl(ADDRESS)
    const since = clock.now()
    await disable()
    clock.advance(1_000)
    await disable()
    expect((await target())?.disabledAt).toEqual(since)
  })

  test('a receiver that is gone does not disable an address that was set meanwhile', async () => {
    await setUrl(`${ADDRESS}/v2`)
    await disable(ADDRESS)
    expect((await target())?.disabledAt).toBeNull()
  })
})

test('a changed or removed address wakes the delivery, and other changes do not', async () => {
  await updatePlatform(context, ACTOR, platformId, { name: 'Renamed' })
  expect(resumed).toEqual([])
  await setUrl(ADDRESS)
  expect(await factsDuring(database, () => setUrl(ADDRESS))).toEqual([])
  await setUrl(null)
  expect(resumed).toEqual([platformId, platformId])
})
