import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { type Acknowledged, acknowledgedFaults } from './acknowledged.ts'
import { type Api, type Headers, openApi } from './api.ts'
import { checkpointFaults, foundByCheck, leafFaults, leavesThatWait } from './audit-faults.ts'
import { openTestDatabase, type TestDatabase } from './database.ts'
import { ledgerFaults } from './ledger-faults.ts'
import { type Load, startLoad } from './load.ts'
import type { Cast } from './mixed-flows.ts'
import { type MixedLoad, startMixedLoad } from './mixed-load.ts'
import { type Agent, type Network, type Owner, openNetwork, type Platform } from './network.ts'
import { LEASE_S, paymentFaults } from './payment-faults.ts'
import { type Service, startService } from './service.ts'
import { expectedEvents, receivedFaults } from './webhook-faults.ts'
import { openReceiver, type Receiver } from './webhook-receiver.ts'

const AGENTS = 6
const PAYING_CLIENTS = 4
const POLL_MS = 20
const CAUGHT_UP_WITHIN_MS = 120_000
/** Longer than the longest delay between two attempts of a delivery after a few failures. */
const RETRY_S = 30_000

/** Two nodes on a database with standbys, and clients that pay, approve, hold, verify and capture through both. */
export interface StandbyStage {
  readonly api: Api
  readonly agents: readonly Agent[]
  /** Ends earlier work that a failed test left. */
  startWork(): Promise<Work>
  /** What is not as it was acknowledged to the clients of this work. `primaryUrl`: the database's present address. */
  workFaults(work: Work, primaryUrl: string): Promise<readonly string[]>
  /** The same of all work that was checked, of webhooks, and of the audit log and the checkpoints that a client kept. */
  allFaults(primaryUrl: string): Promise<readonly string[]>
  /** How much was acknowledged in all, by its kind. */
  counts(): Readonly<Record<string, number>>
  close(): Promise<void>
}

/** The clients at work. */
export interface Work {
  readonly payments: readonly Load[]
  readonly mixed: MixedLoad
  /** Waits until each node has confirmed this many more payments; returns how long it took. */
  untilPaid(more: number, withinMs: number): Promise<number>
  stop(): Promise<void>
}

export async function openStandbyStage(databaseUrl: string): Promise<StandbyStage> {
  const first = await startService({ DATABASE_URL: databaseUrl })
  const nodes = [first, await startService({ DATABASE_URL: databaseUrl })]
  const api = openApi(first.address)
  const network = openNetwork(api)
  const receiver = await openReceiver()
  const platform = await network.platform({ webhook_url: receiver.url })
  receiver.trust(platform.webhookSecret)
  const owner = await network.owner(platform)
  await network.verify(owner)
  const session = await network.login(owner)
  const agents = await network.fundedAgents(owner, AGENTS, 5_000_000)
  const kept = new Set<string>()
  const done: Acknowledged[] = []
  const counts: Record<string, number> = { payments: 0 }
  let atWork: Work | null = null

  return {
    api,
    agents,
    async startWork() {
      await atWork?.stop()
      const { checkpoint } = await api.ok(routes.getCheckpoint, { headers: platform.headers })
      kept.add(checkpoint)
      atWork = startWork(nodes, { agents, cast: await newCast(network, owner, session) })
      return atWork
    },
    async workFaults({ payments, mixed }, primaryUrl) {
      await api.ok(routes.advanceClock, { body: { advance_seconds: LEASE_S } })
      const attempts = payments.flatMap(load => load.attempts)
      for (const [name, all] of Object.entries(mixed.acknowledged)) {
        done.push(...all)
        counts[name] = (counts[name] ?? 0) + all.length
      }
      counts['payments'] = (counts['payments'] ?? 0) + paidIn(payments).reduce((sum, paid) => sum + paid, 0)
      return withDatabase(primaryUrl, async window => [
        ...mixed.faults,
        ...Object.entries(mixed.acknowledged).flatMap(([name, all]) =>
          all.length === 0 ? [`no ${name} was made`] : [],
        ),
        ...(await paymentFaults(api, window, attempts)),
        ...(await acknowledgedFaults(
          nodes.map(node => openApi(node.address)),
          Object.values(mixed.acknowledged).flat(),
        )),
        ...(await ledgerFaults(window.query)),
        ...(await doubleHolds(window)),
      ])
    },
    async allFaults(primaryUrl) {
      const faults = await acknowledgedFaults(
        nodes.map(node => openApi(node.address)),
        done,
      )
      const after = { api, platform, receiver, kept }
      return withDatabase(primaryUrl, async window => [...faults, ...(await historyFaults(window, after))])
    },
    counts: () => ({ ...counts, webhooks: receiver.received.size, checkpoints: kept.size }),
    async close() {
      await atWork?.stop()
      await Promise.all(nodes.map(node => node.stop()))
      await receiver.close()
    },
  }
}

interface History {
  readonly api: Api
  readonly platform: Platform
  readonly receiver: Receiver
  /** The checkpoints that a client kept. */
  readonly kept: ReadonlySet<string>
}

/** What webhooks and the audit log lack, once both have caught up. */
async function historyFaults(
  window: TestDatabase,
  { api, platform, receiver, kept }: History,
): Promise<string[]> {
  await api.ok(routes.advanceClock, { body: { advance_seconds: RETRY_S } })
  await untilNone(() => deliveriesThatWait(window))
  await untilNone(() => leavesThatWait(window))
  return [
    ...receivedFaults(platform, receiver, await expectedEvents(window.query)),
    ...(await leafFaults(window)),
    ...(await checkpointFaults(api, platform.headers, kept)),
    ...(await foundByCheck(api, window)),
  ]
}

/** New agents each time, because an agent may spend only so much in a day. */
async function newCast(network: Network, owner: Owner, session: Headers): Promise<Cast> {
  const [payer, payee, asking, one, other] = await Promise.all(
    [{}, {}, { require_human_approval_above: 1 }, {}, {}].map(extras => network.agent(owner, extras)),
  )
  const cast = { payer, payee, asking, poor: [one, other], session } as Cast
  await network.fund(cast.payer, 40_000)
  await network.fund(cast.asking, 40_000)
  await network.fund(cast.poor[0], 400)
  return cast
}

interface Workers {
  readonly agents: readonly Agent[]
  readonly cast: Cast
}

function startWork(nodes: readonly Service[], { agents, cast }: Workers): Work {
  const payments = nodes.map(({ address }) =>
    startLoad(address, { clients: PAYING_CLIENTS, agents, maxPaise: 200, onNoResponse: 'go on' }),
  )
  const mixed = startMixedLoad(
    nodes.map(({ address }) => address),
    cast,
  )
  return {
    payments,
    mixed,
    async untilPaid(more, withinMs) {
      const started = Date.now()
      const before = paidIn(payments)
      while (paidIn(payments).some((paid, at) => paid < (before[at] ?? 0) + more)) {
        if (Date.now() - started > withinMs) throw new Error(`no payments within ${withinMs} ms`)
        await delay(POLL_MS)
      }
      return Date.now() - started
    },
    async stop() {
      await Promise.all([...payments, mixed].map(load => load.stop()))
    },
  }
}

const paidIn = (loads: readonly Load[]) =>
  loads.map(({ attempts }) => attempts.filter(({ outcome }) => outcome.kind === 'paid').length)

async function withDatabase<T>(url: string, work: (window: TestDatabase) => Promise<T>): Promise<T> {
  const window = await openTestDatabase(url)
  try {
    return await work(window)
  } finally {
    await window.close()
  }
}

async function untilNone(count: () => Promise<number>): Promise<void> {
  const deadline = Date.now() + CAUGHT_UP_WITHIN_MS
  while ((await count()) > 0) {
    if (Date.now() > deadline) throw new Error(`${await count()} wait after ${CAUGHT_UP_WITHIN_MS} ms`)
    await delay(POLL_MS)
  }
}

/** Each hold of these clients has a reference of its own. */
async function doubleHolds({ query }: TestDatabase): Promise<string[]> {
  const rows = await query<{ reference: string }>(
    `select reference from transfers where kind = 'escrow_hold' group by reference having count(*) > 1`,
  )
  return rows.map(({ reference }) => `${reference} was held twice`)
}

/** The events that are not delivered yet. */
async function deliveriesThatWait({ query }: TestDatabase): Promise<number> {
  const [row] = await query<{ count: number }>(
    `select ((select count(*) from payment_events) + (select count(*) from events where queued)
       + (select count(*) from webhook_backlog)
       + (select count(*) from webhook_deliveries where status = 'pending'))::int4 as count`,
  )
  return row?.count ?? 0
}
