import { type BodyOf, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import { logIn } from './src/log-in.ts'
import type { Agent, Network, Owner } from './src/network.ts'
import { newSubscription, type PushService, startPushService, type TestBrowser } from './src/push-service.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let push: PushService
let owner: Owner
let session: Headers
let payer: Agent
let payee: Agent

beforeAll(async () => {
  ;[stage, push] = await Promise.all([sharedStage(), startPushService()])
  ;({ api, network } = stage)
}, 60_000)
afterAll(async () => {
  expect(push.faults).toEqual([])
  await push.close()
  await stage.close()
})

beforeEach(async () => {
  owner = await network.owner(await network.platform())
  session = await network.login(owner)
  payer = await network.fundedAgent(owner, { name: 'Buyer', require_human_approval_above: 1 })
  payee = await network.agent(owner, { name: 'Seller' })
  push.publicKey = (await api.ok(routes.getNotificationSettings, { headers: session })).push_public_key
})

type Kinds = NonNullable<BodyOf<typeof routes.updateNotificationSettings>['kinds']>

const choose = (kinds: Kinds, headers = session) =>
  api.ok(routes.updateNotificationSettings, { headers, body: { kinds } })
const PUSHED: Kinds = { approval_requested: { push: true } }

async function subscribe(headers = session): Promise<TestBrowser & { readonly id: string }> {
  const browser = push.browser()
  const { subscription_id: id } = await api.ok(routes.createPushSubscription, {
    headers,
    body: browser.subscription,
  })
  return Object.assign(browser, { id })
}

/** Does what is due after this time. */
const pass = (seconds = 0) => api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })

async function request(amount = 400): Promise<string> {
  const { approval_id } = await network.pay(payer, payee, amount)
  return approval_id ?? expect.fail('the payment needs approval')
}

/** The log is written by another process, so a line may come after the response. */
function logged(line: string): Promise<void> {
  return expect.poll(() => stage.service.output()).toContain(line)
}

async function subscriptions(headers = session) {
  return (await api.ok(routes.listPushSubscriptions, { headers })).push_subscriptions
}

describe('a notification', () => {
  test('of a request is shown once in each browser, with the payee, the amount and the page to decide on', async () => {
    const browsers = [await subscribe(), await subscribe()]
    await choose(PUSHED)
    const approvalId = await request()
    await pass()
    await pass(3_600)
    for (const { shown, attempts } of browsers) {
      expect(shown).toEqual([
        {
          id: expect.any(String),
          kind: 'approval_requested',
          title: 'A request waits for you',
          body: `Buyer wants to pay ₹400.00 to @${payee.handle}.`,
          path: `/console/inbox/${approvalId}`,
        },
      ])
      expect(attempts()).toBe(1)
    }
    const [subscription] = await subscriptions()
    expect(subscription?.last_notified_at).not.toBeNull()
  })

  test('has the same length always, is urgent if it waits for a decision, and expires with the request', async () => {
    await subscribe()
    await choose({ ...PUSHED, agent_stopped: { push: true }, payout_completed: { push: true } })
    push.heads.length = 0
    await request()
    await pass()
    await network.verify(owner)
    await api.ok(routes.withdraw, {
      params: { agent_id: payer.id },
      headers: payer.headers,
      body: { amount: 5 },
    })
    await pass(3_600)
    const [asked, paidOut] = push.heads
    expect(asked).toMatchObject({ urgency: 'high' })
    expect(asked?.ttl).toBeGreaterThan(86_000)
    expect(asked?.ttl).toBeLessThanOrEqual(86_400)
    expect(paidOut).toMatchObject({ urgency: 'normal', bytes: asked?.bytes })
  })

  test('is not sent for kinds that the owner did not choose', async () => {
    const browser = await subscribe()
    const { kinds } = await api.ok(routes.getNotificationSettings, { headers: session })
    expect(Object.values(kinds).flatMap(({ push, message }) => [push, message])).not.toContain(true)
    await request()
    await pass()
    await choose(PUSHED)
    await pass()
    expect(browser.attempts()).toBe(0)
  })

  test('has a text for its kind, in the language of the owner', async () => {
    const browser = await subscribe()
    const all = { push: true }
    await choose({ approval_requested: all, approval_expired: all, agent_stopped: all })
    await api.ok(routes.updateNotificationSettings, { headers: session, body: { language: 'hi' } })
    await request()
    await pass()
    await pass(90_000)
    await api.ok(routes.pauseAgent, { params: { agent_id: payer.id }, headers: payer.owner.platform.headers })
    await pass()
    expect(browser.shown.map(({ body, path }) => [body, path])).toEqual([
      [`Buyer @${payee.handle} को ₹400.00 देना चाहता है।`, expect.stringMatching('^/console/inbox/apr_')],
      ['Buyer ने ₹400.00 माँगे थे। कुछ नहीं चुकाया गया।', '/console/inbox?status=expired'],
      ['Buyer रोका गया है।', `/console/agents/${payer.id}`],
    ])
  })

  test('of many events at once names their number', async () => {
    const agents = await Promise.all(Array.from({ length: 6 }, () => network.agent(owner)))
    const browser = await subscribe()
    await choose({ agent_stopped: { push: true } })
    const body = { agent_ids: agents.map(({ id }) => id) }
    await api.ok(routes.bulkQuarantineAgents, { headers: await network.admin(), body })
    await pass()
    expect(browser.shown.map(({ body, path }) => [body, path])).toEqual([
      ['6 agents of yours were stopped.', '/console/agents'],
    ])
  })

  test('is not sent for an agent that works again', async () => {
    const params = { agent_id: payer.id }
    await api.ok(routes.pauseAgent, { params, headers: session })
    await pass()
    const browser = await subscribe()
    await choose({ agent_stopped: { push: true } })
    await api.ok(routes.resumeAgent, { params, headers: session })
    await pass()
    expect(browser.attempts()).toBe(0)
  })

  test('is not sent to other owners', async () => {
    const other = await network.login(await network.owner(owner.platform))
    const browser = await subscribe(other)
    await choose(PUSHED, other)
    await request()
    await pass()
    expect(browser.attempts()).toBe(0)
  })
})

describe('what is not sent any more', () => {
  test.each([
    ['turned off', () => choose({ approval_requested: { push: false } })],
    ['no longer for this browser', (browser: { id: string }) => end(browser.id)],
  ])('is what was %s before it was sent', async (_name, turnOff) => {
    const browser = await subscribe()
    await choose(PUSHED)
    push.reply({ status: 503 })
    await request()
    await pass()
    expect(browser.attempts()).toBe(1)
    await turnOff(browser)
    await pass(3_600)
    expect(browser.attempts()).toBe(1)
  })

  test('is a request that was decided meanwhile', async () => {
    const browser = await subscribe()
    await choose(PUSHED)
    push.reply({ status: 503 })
    const approvalId = await request()
    await pass()
    await api.ok(routes.reject, { params: { approval_id: approvalId }, headers: session })
    await pass(3_600)
    expect([browser.attempts(), browser.shown]).toEqual([1, []])
  })

  test('is a request that expired', async () => {
    const browser = await subscribe()
    await choose(PUSHED)
    push.reply({ status: 429, retryAfter: '3600' })
    await request()
    await pass()
    await pass(86_400)
    expect([browser.attempts(), browser.shown]).toEqual([1, []])
  })
})

function end(id: string, headers = session) {
  return api.ok(routes.endPushSubscription, { params: { subscription_id: id }, headers })
}

describe('a push service that', () => {
  test.each([404, 410])('says %i ends the subscription', async status => {
    const browser = await subscribe()
    await choose(PUSHED)
    push.reply({ status })
    await request()
    await pass()
    expect(await subscriptions()).toEqual([])
    await request()
    await pass(3_600)
    expect(browser.attempts()).toBe(1)
  })

  test.each([
    ['is busy', { status: 429 }],
    ['is not available', { status: 503 }],
  ])('%s gets the notification later, once', async (_name, reply) => {
    const browser = await subscribe()
    await choose(PUSHED)
    push.reply(reply)
    await request()
    await pass()
    expect(browser.shown).toEqual([])
    await pass(60)
    await pass(3_600)
    expect([browser.attempts(), browser.shown.length]).toEqual([2, 1])
  })

  test('asks for a pause gets nothing during it, not even what happened since', async () => {
    const browser = await subscribe()
    await choose(PUSHED)
    push.reply({ status: 429, retryAfter: '1800' })
    await request(400)
    await pass()
    await request(401)
    await pass(1_700)
    expect(browser.attempts()).toBe(1)
    await pass(101)
    expect([browser.attempts(), browser.shown.length]).toEqual([3, 2])
  })

  test.each([
    ['breaks the connection after the request', 'break'],
    ['responds with 500', { status: 500 }],
    ['responds with 504', { status: 504 }],
    ['refuses the request', { status: 403 }],
  ] as const)(
    '%s gets no second request, because the first may have been delivered',
    async (_name, reply) => {
      const browser = await subscribe()
      await choose(PUSHED)
      push.reply(reply)
      await request()
      await pass()
      await pass(7_200)
      expect(browser.attempts()).toBe(1)
    },
  )

  test('cannot be reached gets it when it can', async () => {
    const browser = await subscribe()
    await choose(PUSHED)
    // Nobody listens there: the same row, and another port.
    await api.ok(routes.createPushSubscription, { headers: session, body: newSubscription() })
    await request()
    await pass()
    expect(browser.shown).toHaveLength(1)
    await logged('it will be retried')
    const { query } = stage.database
    const waiting = await query<{ due: boolean }>(
      `select n.due_at is not null as due from notifications n join push_subscriptions s on s.id = n.subscription_id
       where s.failures = 1`,
    )
    expect(waiting).toEqual([{ due: true }])
  })

  test('is at an address of clouds is never called', async () => {
    const { keys } = newSubscription()
    const body = { endpoint: 'http://169.254.169.254/latest/meta-data/', keys }
    await choose(PUSHED)
    await api.ok(routes.createPushSubscription, { headers: session, body })
    await request()
    await pass()
    await logged('The address is not public')
  })
})

describe('a browser', () => {
  test('keeps its subscription when it comes again, also in another session', async () => {
    const browser = await subscribe()
    await pass(31)
    const second = await logIn(api, owner.phone, 'owner')
    const again = await api.ok(routes.createPushSubscription, { headers: second, body: browser.subscription })
    expect(again).toMatchObject({ subscription_id: browser.id, current: true })
    expect(await subscriptions()).toMatchObject([{ subscription_id: browser.id, current: false }])
  })

  test('that another person uses shows that person’s notifications alone', async () => {
    const browser = await subscribe()
    await choose(PUSHED)
    const other = await network.login(await network.owner(owner.platform))
    await choose(PUSHED, other)
    await api.ok(routes.createPushSubscription, { headers: other, body: browser.subscription })
    await request()
    await pass()
    expect(browser.attempts()).toBe(0)
    expect([await subscriptions(), (await subscriptions(other)).length]).toEqual([[], 1])
  })

  test('gets nothing more after the logout in it, or after its session was ended from another browser', async () => {
    for (const leave of [
      (headers: Headers) => api.ok(routes.logOut, { headers }),
      () => api.ok(routes.endOtherSessions, { headers: session }),
    ]) {
      await pass(31)
      const here = await logIn(api, owner.phone, 'owner')
      await subscribe(here)
      expect(await subscriptions()).toHaveLength(1)
      await leave(here)
      expect(await subscriptions()).toEqual([])
    }
  })

  test('still gets notifications when its session expires', async () => {
    const browser = await subscribe()
    await choose(PUSHED)
    await pass(13 * 3_600)
    await api.refused(routes.listPushSubscriptions, 401, 'authentication_error', { headers: session })
    await request()
    await pass()
    expect(browser.shown).toHaveLength(1)
  })

  test('is refused when there are twenty, however many come at once', async () => {
    const replies = await Promise.all(
      Array.from({ length: 24 }, () =>
        api.send(routes.createPushSubscription, { headers: session, body: newSubscription() }),
      ),
    )
    expect(replies.map(({ status }) => status).toSorted()).toEqual([
      ...Array<number>(20).fill(201),
      ...Array<number>(4).fill(409),
    ])
    expect(await subscriptions()).toHaveLength(20)
  })

  test.each([
    ['an address of no kind', { endpoint: 'push' }],
    ['a file', { endpoint: 'file:///etc/passwd' }],
    ['a password in the address', { endpoint: 'https://a:b@push.example.net/' }],
    ['a key that is no point', { keys: { p256dh: 'A'.repeat(87), auth: 'A'.repeat(22) } }],
    ['a secret that is too short', { keys: { p256dh: 'A'.repeat(87), auth: 'AA' } }],
  ])('with %s is refused', async (_name, change) => {
    const body = { ...newSubscription(), ...change }
    await api.refused(routes.createPushSubscription, 400, 'validation_error', { headers: session, body })
  })

  test('of another owner cannot be ended', async () => {
    const { id } = await subscribe()
    const other = await network.login(await network.owner(owner.platform))
    const params = { subscription_id: id }
    await api.refused(routes.endPushSubscription, 404, 'not_found', { params, headers: other })
    expect(await subscriptions()).toHaveLength(1)
  })
})

test('a subscription that was moved to another person in the database gets nothing', async () => {
  const browser = await subscribe()
  const thief = await network.owner(owner.platform)
  const thiefSession = await network.login(thief)
  await choose(PUSHED, thiefSession)
  await stage.database.query(
    `update push_subscriptions set phone_index = (select phone_index from sessions order by id desc limit 1)`,
  )
  const agent = await network.fundedAgent(thief, { require_human_approval_above: 1 })
  await network.pay(agent, payee, 400)
  await pass()
  expect(browser.attempts()).toBe(0)
  await logged('does not open')
  await stage.database.query('delete from push_subscriptions')
})

describe('a message', () => {
  test('has the text and the link, once, and no decision', async () => {
    await choose({ approval_requested: { message: true } })
    const approvalId = await request()
    await pass()
    await pass(3_600)
    const { messages } = await api.ok(routes.getSandboxMessages, { params: { phone: owner.phone } })
    const link = `http://localhost:${stage.service.port}/console/inbox/${approvalId}`
    expect(messages.map(({ text }) => text)).toEqual([
      `A request waits for you. Buyer wants to pay ₹400.00 to @${payee.handle}. ${link}`,
    ])
  })
})
