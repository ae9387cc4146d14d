import { type ErrorCode, routes } from '@batua/contract'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { type OpenStream, openStream, type StreamedEvent } from './src/event-stream.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { openStage, type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent
const streams: OpenStream[] = []

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  platform = await network.platform()
  owner = await network.owner(platform)
  session = await network.login(owner)
  payer = await network.fundedAgent(owner)
  payee = await network.agent(await network.owner(await network.platform()))
})
afterEach(() => {
  for (const stream of streams.splice(0)) stream.close()
})

async function follow(headers: Headers): Promise<OpenStream> {
  const stream = await openStream(api.address, headers)
  streams.push(stream)
  return stream
}

const named =
  (...names: string[]) =>
  (event: StreamedEvent) =>
    names.includes(event.name)
const pause = (agent: Agent) =>
  api.ok(routes.pauseAgent, { params: { agent_id: agent.id }, headers: owner.platform.headers })
const resume = (agent: Agent) =>
  api.ok(routes.resumeAgent, { params: { agent_id: agent.id }, headers: owner.platform.headers })

describe('an open stream', () => {
  test('of an owner has the events of her agents, with the body of the webhook event', async () => {
    const stream = await follow(session)
    const { payment_id } = await network.pay(payer, payee, 10)
    const sent = await stream.next(named('agent.payment.sent'))
    expect(sent.data).toMatchObject({
      id: sent.id,
      event: 'agent.payment.sent',
      data: { agent_id: payer.id, payment_id, to: payee.id, amount: 10 },
    })
    await pause(payer)
    const paused = await stream.next(named('agent.status.changed'))
    expect(paused.data.data).toMatchObject({ agent_id: payer.id, status: 'paused' })
  })

  test('of a platform has the events of its agents and owners', async () => {
    const stream = await follow(platform.headers)
    await network.pay(payer, payee, 10)
    await stream.next(named('agent.payment.sent'))
    await network.verify(owner)
    const verified = await stream.next(named('owner.kyc.updated'))
    expect(verified.data.data).toMatchObject({ owner_id: owner.id, kyc_status: 'verified' })
  })

  test('has no event of another owner or platform', async () => {
    const strangers = await Promise.all([
      follow(await network.login(await network.owner(platform))),
      follow((await network.platform()).headers),
    ])
    const own = await follow(session)
    await network.pay(payer, payee, 10)
    await pause(payer)
    await own.next(named('agent.status.changed'))
    await resume(payer)
    await own.next(named('agent.status.changed'))
    const names = strangers.flatMap(({ received }) => received.map(({ name }) => name))
    expect(names.filter(name => name !== 'owner.link.updated')).toEqual([])
  })

  test('of an administrator has the events of everyone but those of payments', async () => {
    const stream = await follow(await network.admin())
    await network.pay(payer, payee, 10)
    await pause(payer)
    await stream.next(
      event => event.name === 'agent.status.changed' && event.data.data?.['agent_id'] === payer.id,
    )
    expect(stream.received.filter(({ name }) => name.startsWith('agent.payment.'))).toEqual([])
  })

  test('ends when its session ends', async () => {
    const headers = await network.login(await network.owner(platform))
    const stream = await follow(headers)
    await api.ok(routes.logOut, { headers })
    await stream.ended
  })

  test('of a platform ends when its secret is rotated', async () => {
    const other = await network.platform()
    const stream = await follow(other.headers)
    await api.ok(routes.rotatePlatformSecret, {
      params: { platform_id: other.id },
      headers: other.headers,
    })
    await stream.ended
  })

  test('is not opened by HEAD, which would leave it open without a client', async () => {
    const responses = Array.from({ length: 40 }, () =>
      fetch(`${api.address}/api/web/events`, { method: 'HEAD', headers: session }),
    )
    for (const { status } of await Promise.all(responses)) expect(status).toBe(405)
    await follow(session)
  })

  test('is refused without a credential, and to an agent', async () => {
    await api.refused(routes.getEventStream, 401, 'authentication_error')
    await api.refused(routes.getEventStream, 401, 'authentication_error', { headers: payer.headers })
  })
})

describe('a client that was disconnected', () => {
  test('gets what happened since the last event that it names, each event once', async () => {
    const first = await follow(session)
    await network.pay(payer, payee, 1)
    const last = await first.next(named('agent.payment.sent'))
    first.close()
    const missed = [await network.pay(payer, payee, 2), await network.pay(payer, payee, 3)]
    await pause(payer)
    const second = await follow({ ...session, 'last-event-id': String(last.id) })
    const seen: StreamedEvent[] = []
    do seen.push(await second.next())
    while (seen.at(-1)?.name !== 'agent.status.changed')
    const payments = seen.flatMap(({ data }) => data.data?.['payment_id'] ?? [])
    expect(payments.slice(-2)).toEqual(missed.map(({ payment_id }) => payment_id))
    expect(new Set(seen.map(({ id }) => id)).size).toBe(seen.length)
  })

  test.each(['evt_01kb7q3f8meg5tz4x9wc2n6a01', 'nonsense'])(
    'that names an event which is unknown is asked to read the state again: %s',
    async id => {
      const stream = await follow({ ...session, 'last-event-id': id })
      expect((await stream.next()).name).toBe('reset')
      await network.pay(payer, payee, 10)
      await stream.next(named('agent.payment.sent'))
    },
  )

  test('is asked to read the state again when it missed more bytes than a stream may hold', async () => {
    const first = await follow(session)
    await network.pay(payer, payee, 1)
    const last = await first.next(named('agent.payment.sent'))
    first.close()
    const reference = 'क'.repeat(128)
    const payments = Array.from({ length: 450 }, () => network.pay(payer, payee, 0.01, { reference }))
    await Promise.all(payments)
    // The service has read the payments when a later event of the same owner has come.
    const other = await follow(session)
    await pause(payer)
    await other.next(named('agent.status.changed'))
    await resume(payer)
    const second = await follow({ ...session, 'last-event-id': String(last.id) })
    expect((await second.next()).name).toBe('reset')
    await pause(payer)
    await second.next(named('agent.status.changed'))
  })

  test('cannot read another owner’s events by naming one of them', async () => {
    const own = await follow(session)
    await network.pay(payer, payee, 1)
    const last = await own.next(named('agent.payment.sent'))
    await network.pay(payer, payee, 2)
    const stranger = await network.login(await network.owner(platform))
    const stream = await follow({ ...stranger, 'last-event-id': String(last.id) })
    await own.next(named('agent.payment.sent'))
    expect(stream.received.filter(named('agent.payment.sent'))).toEqual([])
  })
})

describe('streams of many credentials', () => {
  const LIMITS = { MAX_STREAMS_PER_NETWORK: '2', MAX_STREAMS: '3', TRUST_PROXY: '127.0.0.1' }

  test('are limited for each network and each node, until one is closed', async () => {
    const limited = await openStage(LIMITS)
    try {
      const from = async (address: string) => ({
        ...(await limited.network.platform()).headers,
        'x-forwarded-for': address,
      })
      const open = async (headers: Headers) => {
        const stream = await openStream(limited.api.address, headers)
        streams.push(stream)
        return stream
      }
      const refused = async (headers: Headers, status: number, code: ErrorCode) => {
        await limited.api.refused(routes.getEventStream, status, code, { headers })
      }
      const first = await open(await from('203.0.113.1'))
      await open(await from('203.0.113.1'))
      await refused(await from('203.0.113.1'), 429, 'rate_limit_exceeded')
      await open(await from('203.0.113.2'))
      const waiting = await from('203.0.113.3')
      await refused(waiting, 503, 'service_unavailable')
      first.close()
      await expect.poll(() => open(waiting).catch(() => null)).not.toBeNull()
    } finally {
      await limited.close()
    }
  })
})
