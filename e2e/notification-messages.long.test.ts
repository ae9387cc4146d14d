import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Headers } from './src/api.ts'
import { type Agent, newPhone } from './src/network.ts'
import type { Env } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

/** A provider of messages on loopback, for example a bot. */
let provider: Server
let requests: { readonly path: string; readonly authorization: string | undefined; readonly body: unknown }[]
let replies: (number | 'break')[]

beforeAll(async () => {
  provider = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      const { url: path = '', headers } = request
      requests.push({ path, authorization: headers.authorization, body: JSON.parse(text) })
      const next = replies.shift() ?? 200
      if (next === 'break') response.destroy()
      else response.writeHead(next).end()
    })
  })
  await new Promise<void>(resolve => provider.listen(0, '127.0.0.1', resolve))
})
afterAll(() => new Promise(resolve => provider.close(resolve)))
beforeEach(() => {
  requests = []
  replies = []
})

const providerAddress = () => `http://127.0.0.1:${(provider.address() as AddressInfo).port}`

interface Asker {
  readonly stage: Stage
  readonly phone: string
  readonly session: Headers
  readonly payee: Agent
  /** Asks for approval, and does what is due after this time. */
  ask(seconds?: number): Promise<string>
  pass(seconds: number): Promise<unknown>
}

async function openAsker(stage: Stage, phone = newPhone()): Promise<Asker> {
  const { api, network } = stage
  const owner = await network.owner(await network.platform(), phone)
  const session = await network.login(owner)
  const payer = await network.fundedAgent(owner, { name: 'Buyer', require_human_approval_above: 1 })
  const payee = await network.agent(owner)
  const pass = (seconds: number) => api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
  return {
    stage,
    phone,
    session,
    payee,
    pass,
    async ask(seconds = 0) {
      const { approval_id } = await network.pay(payer, payee, 400)
      await pass(seconds)
      return approval_id ?? expect.fail('the payment needs approval')
    },
  }
}

const wish = { kinds: { approval_requested: { message: true } } }

function withTemplate(env: () => Env) {
  const held: { stage: Stage | null } = { stage: null }
  beforeAll(async () => {
    held.stage = await openStage(env())
  }, 60_000)
  afterAll(() => held.stage?.close())
  return () => held.stage ?? expect.fail('not open')
}

describe('a template with the phone', () => {
  const stage = withTemplate(() => ({
    NOTIFY_HTTP_URL: `${providerAddress()}/messages`,
    NOTIFY_HTTP_TOKEN: 'provider-token-1',
    NOTIFY_HTTP_BODY: '{"to":"{phone91}","message":"{text}\\n{url}","kind":"{kind}"}',
  }))

  test('sends each owner a text and a link, once', async () => {
    const asker = await openAsker(stage())
    await stage().api.ok(routes.updateNotificationSettings, { headers: asker.session, body: wish })
    const approvalId = await asker.ask()
    await asker.pass(3_600)
    const link = `http://localhost:${stage().service.port}/console/inbox/${approvalId}`
    expect(requests).toEqual([
      {
        path: '/messages',
        authorization: 'Bearer provider-token-1',
        body: {
          to: `91${asker.phone}`,
          message: `A request waits for you. Buyer wants to pay ₹400.00 to @${asker.payee.handle}.\n${link}`,
          kind: 'approval_requested',
        },
      },
    ])
  })

  test.each([
    ['is busy', 429, 2],
    ['is not available', 503, 2],
    ['broke', 500, 1],
    ['refuses', 400, 1],
    ['loses the connection', 'break', 1],
  ] as const)(
    'a provider that %s gets it again only if it certainly has not sent it',
    async (_name, reply, times) => {
      const asker = await openAsker(stage())
      await stage().api.ok(routes.updateNotificationSettings, { headers: asker.session, body: wish })
      replies.push(reply)
      await asker.ask()
      await asker.pass(60)
      await asker.pass(3_600)
      expect(requests).toHaveLength(times)
    },
  )

  test('what was turned off meanwhile is not sent', async () => {
    const { api } = stage()
    const asker = await openAsker(stage())
    const { session: headers } = asker
    await api.ok(routes.updateNotificationSettings, { headers, body: wish })
    replies.push(503)
    await asker.ask()
    const off = { kinds: { approval_requested: { message: false } } }
    await api.ok(routes.updateNotificationSettings, { headers, body: off })
    await asker.pass(3_600)
    expect(requests).toHaveLength(1)
  })
})

describe('a template that leads to one place', () => {
  const reader = newPhone()
  const stage = withTemplate(() => ({
    NOTIFY_HTTP_URL: `${providerAddress()}/bot{token}/sendMessage`,
    NOTIFY_HTTP_TOKEN: 'bot-token-1',
    NOTIFY_HTTP_BODY: '{"chat_id":"42","text":"{text} {url}"}',
    NOTIFY_PHONES: reader,
  }))

  test('notifies only the owners whose phones are named, and shows the others that there are no messages', async () => {
    const { api } = stage()
    const [asker, stranger] = [await openAsker(stage(), reader), await openAsker(stage())]
    await api.ok(routes.updateNotificationSettings, { headers: asker.session, body: wish })
    await api.refused(routes.updateNotificationSettings, 409, 'conflict', {
      headers: stranger.session,
      body: wish,
    })
    const settings = await api.ok(routes.getNotificationSettings, { headers: stranger.session })
    expect(settings.message_available).toBe(false)
    await stranger.ask()
    await asker.ask()
    expect(requests.map(({ path, authorization }) => [path, authorization])).toEqual([
      ['/botbot-token-1/sendMessage', undefined],
    ])
  })
})
