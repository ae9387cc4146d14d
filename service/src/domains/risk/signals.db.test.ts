import { expect, describe as group } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { networkContext, newPlatform, TEST_VAULT } from '../../testing/network.ts'
import { createAuthenticators } from '../parties/platforms/credentials.ts'
import { MINUTE_MS } from './scope.ts'
import { createSignalRecorder, SERVICE_SUBJECT } from './signals.ts'
import { test, world } from './testing/risk-world.ts'

/** Advances to the start of the next minute, so that the test controls which minute is counted. */
function nextMinute(): void {
  const nowMs = world.clock.now().getTime()
  world.clock.set(new Date(nowMs - (nowMs % MINUTE_MS) + MINUTE_MS))
}

function refuse(agentId: Uuid, times: number): void {
  for (let refused = 0; refused < times; refused++) world.signals.policyRefusal(agentId)
}

group('repeated_refusals', () => {
  test('a repeated_refusals alert is opened by ten refusals within ten minutes, with its figures', async () => {
    const agent = await world.agent()
    nextMinute()
    refuse(agent, 6)
    await world.run()
    world.clock.advance(8 * MINUTE_MS)
    refuse(agent, 4)
    await world.run()
    const [alert] = await world.alerts(agent, 'repeated_refusals')
    expect(alert).toMatchObject({ agentId: agent, severity: 'medium', score: 20, status: 'open' })
    expect(alert?.evidence).toMatchObject({
      summary: '10 payments refused by policy within 10 minutes.',
      figures: { refusals: 10 },
      thresholds: { min_refusals: 10, window_minutes: 10 },
      payment_ids: [],
    })
  })

  test('a repeated_refusals alert is not opened by nine refusals, nor by ten of two agents', async () => {
    const [one, two] = [await world.agent(), await world.agent()]
    nextMinute()
    refuse(one, 9)
    refuse(two, 1)
    await world.run()
    expect(await world.alerts(one, 'repeated_refusals')).toEqual([])
    expect(await world.alerts(two, 'repeated_refusals')).toEqual([])
  })

  test('repeated_refusals does not count a minute that began ten minutes ago', async () => {
    for (const [apartMs, alerts] of [
      [10 * MINUTE_MS - 6_000, 0],
      [10 * MINUTE_MS - 6_001, 1],
    ] as const) {
      const agent = await world.agent()
      nextMinute()
      refuse(agent, 1)
      world.clock.advance(apartMs)
      refuse(agent, 9)
      // The run is six seconds later.
      await world.run()
      expect((await world.alerts(agent, 'repeated_refusals')).length).toBe(alerts)
    }
  })

  test('after a review, repeated_refusals counts only later minutes', async () => {
    const agent = await world.agent()
    nextMinute()
    refuse(agent, 10)
    await world.run()
    await world.dismiss(agent, 'repeated_refusals')
    refuse(agent, 1)
    await world.run()
    expect((await world.alerts(agent, 'repeated_refusals')).length).toBe(1)
    nextMinute()
    refuse(agent, 9)
    await world.run()
    expect((await world.alerts(agent, 'repeated_refusals')).length).toBe(1)
    refuse(agent, 1)
    await world.run()
    expect((await world.alerts(agent, 'repeated_refusals')).map(alert => alert.status)).toEqual([
      'dismissed',
      'open',
    ])
  })
})

group('failed_authentication', () => {
  async function openPlatform() {
    const { platform, platformSecret } = await newPlatform(networkContext(world.database, world.clock))
    const { platform: authenticate } = createAuthenticators(world.database, TEST_VAULT, world.signals)
    return { platform, platformSecret, authenticate, id: formatId('plt', platform.id) }
  }
  const wrong = `sk_live_${'x'.repeat(43)}`

  test('a failed_authentication alert is opened on the platform by twenty wrong secrets, and not by nineteen', async () => {
    const { platform, authenticate, id } = await openPlatform()
    nextMinute()
    for (let tries = 0; tries < 19; tries++) expect(await authenticate(id, wrong)).toBeNull()
    await world.run()
    expect(await world.alerts(platform.id, 'failed_authentication')).toEqual([])
    await authenticate(id, wrong)
    await world.run()
    const [alert] = await world.alerts(platform.id, 'failed_authentication')
    expect(alert).toMatchObject({ agentId: null, platformId: platform.id, severity: 'high' })
    expect(alert?.evidence).toMatchObject({
      summary: '20 wrong secrets for this platform within 10 minutes.',
      figures: { failures: 20 },
      thresholds: { min_failures: 20, window_minutes: 10 },
    })
  })

  test('failed_authentication does not count a minute that began ten minutes ago', async () => {
    for (const [apartMs, alerts] of [
      [10 * MINUTE_MS - 6_000, 0],
      [10 * MINUTE_MS - 6_001, 1],
    ] as const) {
      const { platform, authenticate, id } = await openPlatform()
      nextMinute()
      await authenticate(id, wrong)
      world.clock.advance(apartMs)
      for (let tries = 0; tries < 19; tries++) await authenticate(id, wrong)
      await world.run()
      expect((await world.alerts(platform.id, 'failed_authentication')).length).toBe(alerts)
    }
  })

  test('failed_authentication counts neither right secrets nor unknown platforms', async () => {
    const { platform, platformSecret, authenticate, id } = await openPlatform()
    const nobody = newUuid(world.clock.now())
    for (let tries = 0; tries < 30; tries++) {
      expect(await authenticate(id, platformSecret)).not.toBeNull()
      expect(await authenticate(formatId('plt', nobody), wrong)).toBeNull()
    }
    expect(world.signals.take(1)).toEqual([])
    await world.run()
    expect(await world.alerts(platform.id, 'failed_authentication')).toEqual([])
    expect(await world.alerts(nobody, 'failed_authentication')).toEqual([])
  })
})

group('login_guessing', () => {
  test('a login_guessing alert is opened by a hundred wrong login codes, on no platform and without an event', async () => {
    nextMinute()
    for (let tries = 0; tries < 99; tries++) world.signals.wrongLoginCode()
    await world.run()
    expect(await world.alerts(SERVICE_SUBJECT, 'login_guessing')).toEqual([])
    const before = await world.database.query(`select id from events`)
    world.signals.wrongLoginCode()
    await world.run()
    const [alert] = await world.alerts(SERVICE_SUBJECT, 'login_guessing')
    expect(alert).toMatchObject({ agentId: null, platformId: null, severity: 'high', score: 50 })
    expect(alert?.evidence).toMatchObject({
      summary: '100 wrong login codes over all phones within 10 minutes.',
      figures: { failures: 100 },
      thresholds: { min_failures: 100, window_minutes: 10 },
    })
    expect(await world.database.query(`select id from events`)).toEqual(before)
  })
})

group('signals', () => {
  test('signals of all nodes are added up', async () => {
    const agent = await world.agent()
    nextMinute()
    for (let node = 0; node < 2; node++) {
      refuse(agent, 5)
      await world.run()
    }
    expect((await world.alerts(agent, 'repeated_refusals'))[0]?.evidence.figures['refusals']).toBe(10)
  })

  test('signals are deleted after a day', async () => {
    const agent = await world.agent()
    refuse(agent, 1)
    await world.run()
    const kept = () => world.database.query('select subject from risk_signals where subject = $1', [agent])
    expect((await kept()).length).toBe(1)
    world.clock.advance(DAY_MS + 2 * HOUR_MS)
    await world.run()
    expect(await kept()).toEqual([])
  })

  test('signals use bounded memory, and subjects already counted are still counted when it is full', () => {
    const recorder = createSignalRecorder(world.clock, 2)
    for (const subject of ['a', 'b', 'c', 'a']) recorder.policyRefusal(subject)
    expect(recorder.take(10).map(({ subjectId, count }) => [subjectId, count])).toEqual([
      ['a', 2],
      ['b', 1],
    ])
    expect(recorder.take(10)).toEqual([])
  })

  test('signals that could not be written are written by the next run', async () => {
    const agent = await world.agent()
    nextMinute()
    refuse(agent, 4)
    const taken = world.signals.take(10)
    refuse(agent, 6)
    world.signals.putBack(taken)
    await world.run()
    expect((await world.alerts(agent, 'repeated_refusals'))[0]?.evidence.figures['refusals']).toBe(10)
  })
})
