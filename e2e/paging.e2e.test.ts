import { type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Api, Headers, Sent } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { webhookSink } from './src/webhook-sink.ts'

const ENTRIES = 25

let stage: Stage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payer: Agent
let payee: Agent
let session: Headers
/** A platform that gets no webhooks except those that it requests. */
let tested: Platform

const certify = () =>
  api.ok(routes.issueCertificate, {
    params: { agent_id: payer.id },
    headers: platform.headers,
    body: { capabilities: ['pay'] },
  })

const found = () =>
  api.ok(routes.createOrganization, { headers: session, body: { name: 'Lab', tier: 'tier1' } })

const sendTest = () => api.ok(routes.testWebhook, { headers: tested.headers })

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
  platform = await network.platform()
  for (let count = 0; count < ENTRIES; count++) owner = await network.owner(platform)
  for (let count = 0; count < ENTRIES; count++) payer = await network.agent(owner)
  payee = await network.agent(owner)
  await network.fund(payer, 1000)
  for (let count = 0; count < ENTRIES; count++) await network.pay(payer, payee, 1)
  session = await network.login(owner)
  for (let count = 0; count < ENTRIES; count++) await found()
  for (let count = 1; count < ENTRIES; count++) await certify()
  tested = await network.platform()
  const body = { webhook_url: await webhookSink() }
  await api.ok(routes.updatePlatform, { params: { platform_id: tested.id }, headers: tested.headers, body })
  for (let count = 0; count < ENTRIES; count++) await sendTest()
})
afterAll(() => stage.close())

interface List {
  readonly name: string
  readonly route: Route
  /** The name of the list and of its entries' ids. */
  readonly plural: string
  readonly id: string
  readonly total: number
  readonly call: () => Sent
  /** Adds an entry, which becomes the newest. */
  readonly add: () => Promise<unknown>
}

const LISTS: readonly List[] = [
  {
    name: 'owners',
    route: routes.listOwners,
    plural: 'owners',
    id: 'owner_id',
    total: ENTRIES,
    call: () => ({ headers: platform.headers }),
    add: () => network.owner(platform),
  },
  {
    name: 'agents',
    route: routes.listAgents,
    plural: 'agents',
    id: 'agent_id',
    total: ENTRIES + 1,
    call: () => ({ headers: platform.headers }),
    add: () => network.agent(owner),
  },
  {
    name: 'organizations',
    route: routes.listOrganizations,
    plural: 'organizations',
    id: 'id',
    total: ENTRIES,
    call: () => ({ headers: platform.headers }),
    add: found,
  },
  {
    name: 'certificates',
    route: routes.listCertificates,
    plural: 'certificates',
    id: 'id',
    total: ENTRIES,
    call: () => ({ params: { agent_id: payer.id }, headers: payer.headers }),
    add: certify,
  },
  {
    name: 'webhook deliveries',
    route: routes.listWebhookDeliveries,
    plural: 'deliveries',
    id: 'delivery_id',
    total: ENTRIES,
    call: () => ({ headers: tested.headers }),
    add: sendTest,
  },
  {
    name: 'payments',
    route: routes.listPayments,
    plural: 'payments',
    id: 'payment_id',
    total: ENTRIES,
    call: () => ({ params: { agent_id: payer.id }, headers: payer.headers }),
    add: () => network.pay(payer, payee, 1),
  },
  {
    name: 'transactions of a payer',
    route: routes.listTransactions,
    plural: 'transactions',
    id: 'id',
    total: ENTRIES + 2,
    call: () => ({ params: { agent_id: payer.id }, headers: payer.headers }),
    add: () => network.pay(payer, payee, 1),
  },
  {
    name: 'transactions of a payee',
    route: routes.listTransactions,
    plural: 'transactions',
    id: 'id',
    total: ENTRIES + 2,
    call: () => ({ params: { agent_id: payee.id }, headers: platform.headers }),
    add: () => network.pay(payer, payee, 1),
  },
]

interface Page {
  readonly ids: string[]
  readonly times: string[]
  readonly pagination: { total: number; limit: number; offset: number; next_cursor?: string }
}

async function page(
  { route, plural, id, call }: List,
  query: Record<string, string | number>,
): Promise<Page> {
  const body = (await api.ok(route, { ...call(), query })) as Record<string, unknown>
  const entries = body[plural] as Record<string, string>[]
  return {
    ids: entries.map(entry => entry[id] ?? ''),
    times: entries.map(entry => entry['created_at'] ?? ''),
    pagination: body['pagination'] as Page['pagination'],
  }
}

describe.each(LISTS)('the list of $name', list => {
  let total: number
  beforeAll(async () => {
    total = (await page(list, {})).pagination.total
  })

  test('begins with the newest 20 entries', async () => {
    const first = await page(list, {})
    expect(first.ids.length).toBe(20)
    expect(first.pagination).toMatchObject({ total, limit: 20, offset: 0 })
    expect(total).toBeGreaterThanOrEqual(list.total - 1)
    expect(first.times).toEqual(first.times.toSorted().toReversed())
    expect(typeof first.pagination.next_cursor).toBe('string')
  })

  test('shows every entry once, by offset as by cursor', async () => {
    const whole = await page(list, { limit: 100 })
    expect(whole.ids.length).toBe(total)
    expect(new Set(whole.ids).size).toBe(total)
    expect(whole.pagination.next_cursor).toBeUndefined()
    const byOffset: string[] = []
    for (let offset = 0; offset < total; offset += 7)
      byOffset.push(...(await page(list, { limit: 7, offset })).ids)
    expect(byOffset).toEqual(whole.ids)
    expect(await walk(list, 7)).toEqual(whole.ids)
    expect((await page(list, { offset: total })).ids).toEqual([])
  })

  test('read by cursor neither repeats nor skips an entry while new ones arrive', async () => {
    const before = (await page(list, { limit: 100 })).ids
    expect(await walk(list, 10, list.add)).toEqual(before)
  })

  test('refuses a page that is too large, too small or invented', async () => {
    const wrong = [
      { limit: 0 },
      { limit: 101 },
      { limit: -1 },
      { offset: -1 },
      { cursor: 'made-up' },
      { cursor: '!' },
    ]
    for (const query of wrong) {
      const error = await api.refused(list.route, 400, 'validation_error', { ...list.call(), query })
      expect(error.field).toBe(Object.keys(query)[0])
    }
    const { pagination } = await page(list, { limit: 1 })
    const both = { cursor: pagination.next_cursor ?? '', offset: 1 }
    await api.refused(list.route, 400, 'validation_error', { ...list.call(), query: both })
  })
})

/** All ids from the newest on, page by page; `between` happens after each page. */
async function walk(list: List, limit: number, between?: () => Promise<unknown>): Promise<string[]> {
  const ids: string[] = []
  let query: Record<string, string | number> = { limit }
  for (;;) {
    const shown = await page(list, query)
    ids.push(...shown.ids)
    const cursor = shown.pagination.next_cursor
    if (cursor === undefined) return ids
    await between?.()
    query = { limit, cursor }
  }
}

describe('a filter', () => {
  test('of agents works by state, owner and handle, for the caller’s own agents only', async () => {
    const call = { headers: platform.headers }
    const one = await api.ok(routes.listAgents, {
      ...call,
      query: { handle: `@${payer.handle.toUpperCase()}` },
    })
    expect(one.agents.map(agent => agent.agent_id)).toEqual([payer.id])
    const gone = await network.agent(owner)
    await api.ok(routes.deactivateAgent, { params: { agent_id: gone.id }, headers: platform.headers })
    const deactivated = await api.ok(routes.listAgents, { ...call, query: { status: 'deactivated' } })
    expect(deactivated.agents.map(agent => agent.agent_id)).toEqual([gone.id])
    const stranger = await network.owner(await network.platform())
    const theirs = await network.agent(stranger)
    for (const query of [{ owner_id: stranger.id }, { handle: theirs.handle }]) {
      expect((await api.ok(routes.listAgents, { ...call, query })).pagination.total).toBe(0)
    }
    const unverified = await network.owner(platform)
    expect((await api.ok(routes.listAgents, { ...call, query: { owner_id: unverified.id } })).agents).toEqual(
      [],
    )
  })

  test('of transactions works by type, state and time, counts included', async () => {
    const call = { params: { agent_id: payer.id }, headers: payer.headers }
    const find = async (query: Record<string, string>) =>
      await api.ok(routes.listTransactions, { ...call, query: { ...query, limit: 100 } })
    const all = await find({})
    const outs = await find({ type: 'pay_out' })
    expect(outs.pagination.total).toBe(all.pagination.total - 1)
    expect(new Set(outs.transactions.map(line => line.type))).toEqual(new Set(['pay_out']))
    expect((await find({ type: 'fund' })).pagination.total).toBe(1)
    expect((await find({ type: 'pay_in' })).pagination.total).toBe(0)
    expect((await find({ type: 'withdraw' })).pagination.total).toBe(0)
    expect((await find({ status: 'pending' })).pagination.total).toBe(0)
    expect((await find({ status: 'completed', type: 'fund' })).pagination.total).toBe(1)
    const [newest] = all.transactions
    const oldest = all.transactions.at(-1)
    const [last, first] = [newest?.created_at ?? '', oldest?.created_at ?? '']
    expect((await find({ from_date: first, to_date: last })).pagination.total).toBe(all.pagination.total)
    expect((await find({ to_date: first })).transactions.at(-1)?.id).toBe(oldest?.id)
    expect((await find({ from_date: last })).transactions[0]?.id).toBe(newest?.id)
    const days = { from_date: istDate(first), to_date: istDate(last) }
    expect((await find(days)).pagination.total).toBe(all.pagination.total)
    expect((await find({ to_date: '2026-01-01' })).pagination.total).toBe(0)
    expect((await find({ from_date: '2099-01-01' })).pagination.total).toBe(0)
  })
})

const IST_OFFSET_MS = 5.5 * 60 * 60 * 1000

function istDate(timestamp: string): string {
  return new Date(Date.parse(timestamp) + IST_OFFSET_MS).toISOString().slice(0, 10)
}
