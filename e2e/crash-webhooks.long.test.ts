import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLoad } from './src/load.ts'
import { startReceiverFailures } from './src/receiver-failures.ts'
import { openWebhookCrashStage, VICTIMS, type WebhookCrashStage } from './src/webhook-crash-stage.ts'
import { expectedEvents, listFaults, receivedFaults } from './src/webhook-faults.ts'

/** The minimum number of events of payments; each payment has two. */
const EVENTS = Number(process.env['WEBHOOK_EVENTS'] ?? 100_000)
const CRASHES = Number(process.env['LONG_CRASHES'] ?? 25)
/** The seed of the failures; races still differ. */
const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const CLIENTS = 8
const LONGEST_DELAY_MS = 300
/** The advance of the clock with every crash, so that retries happen meanwhile; too small for a tenth attempt. */
const LONGEST_MOVE_S = 400
const POLL_MS = 20
const LOOK_MS = 100
/** Longer than the longest delay between two attempts after a few failures. */
const STEP_S = 30_000
const MOST_STEPS = 8
const QUIET_WITHIN_MS = 150_000
/** A busy machine takes longer. */
const SET_UP_WITHIN_MS = 120_000
const BASE_MS = 120_000
const PER_EVENT_MS = 10
const SHOWN = 10

// Kills nodes under payment load while receivers fail in every way, and proves that every event arrived.
const timeout = BASE_MS + EVENTS * PER_EVENT_MS
let stage: WebhookCrashStage

beforeAll(async () => {
  stage = await openWebhookCrashStage()
}, SET_UP_WITHIN_MS)
afterAll(async () => {
  expect(await stage.close()).toEqual([])
}, SET_UP_WITHIN_MS)

test(`each of ${EVENTS} events arrives unaltered, through ${CRASHES} crashes and failing receivers (seed ${SEED})`, {
  timeout,
}, async () => {
  const { query, listeners, elsewhere, api } = stage
  await crashThrough(stage)
  await settle(stage)

  const expected = await expectedEvents(query)
  expect(expected.size).toBeGreaterThanOrEqual(EVENTS)
  for (const { platform, receiver } of listeners) {
    expect(receivedFaults(platform, receiver, expected).slice(0, SHOWN)).toEqual([])
  }
  expect(elsewhere.hits()).toBe(0)
  const counts = await tally(stage, expected.size)
  expect(counts.failed).toBeGreaterThan(0)
  console.log(counts)
  for (const { platform } of listeners) {
    expect((await listFaults(api, platform, expected)).slice(0, SHOWN)).toEqual([])
  }
})

/** Numbers from 0 up to 1 that are the same for the same seed. */
function seededRandom(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  return () => uniformFloat64(generator)
}

/** Makes payments through both nodes repeatedly, until one of them or both are killed. */
async function crashThrough(stage: WebhookCrashStage): Promise<void> {
  const { listeners, elsewhere } = stage
  const receivers = listeners.map(({ receiver }) => receiver)
  const random = seededRandom(SEED)
  const failures = startReceiverFailures(receivers, elsewhere.url, seededRandom(SEED + 1))
  const moves: Promise<void>[] = []
  const payments = Math.ceil(EVENTS / 2 / CRASHES)
  for (let crash = 1; crash <= CRASHES; crash++) {
    await payThrough(stage, payments, random)
    // After the last crash the lease of the killed node expires by itself.
    if (crash < CRASHES) await endLeases(stage)
    // Its response comes after all due deliveries were tried; the next crash does not wait for that.
    moves.push(advance(stage, Math.floor(random() * LONGEST_MOVE_S)).then(noted, noted))
  }
  await failures.clear()
  await Promise.all(moves)
}

const noted = () => undefined

async function payThrough(stage: WebhookCrashStage, payments: number, random: () => number): Promise<void> {
  const { agents } = stage
  const loads = stage
    .nodes()
    .map(({ address }) =>
      startLoad(address, { clients: CLIENTS, agents, maxPaise: 200, onNoResponse: 'go on' }),
    )
  const paid = () =>
    loads.flatMap(({ attempts }) => attempts).filter(({ outcome }) => outcome.kind === 'paid').length
  while (paid() < payments) await delay(POLL_MS)
  await delay(random() * LONGEST_DELAY_MS)
  const victim = VICTIMS[Math.floor(random() * VICTIMS.length)] ?? 'both nodes'
  await stage.kill(victim)
  await Promise.all(loads.map(load => load.stop()))
  await stage.restart(victim)
}

/** The receivers of a killed node stay leased for half a minute; the test cannot wait for that each time. */
async function endLeases({ query }: WebhookCrashStage): Promise<void> {
  await query(`update webhook_endpoints set leased_until = clock_timestamp() where leased_by is not null`)
}

async function advance({ api }: WebhookCrashStage, seconds: number): Promise<Date> {
  const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
  return new Date(now)
}

/** Advances the clock from retry to retry until every event is delivered. */
async function settle(stage: WebhookCrashStage): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    const now = await advance(stage, step === 0 ? 0 : STEP_S)
    await whenQuiet(stage, now)
    const left = await waiting(stage)
    if (left === 0) return
  }
  throw new Error('deliveries are pending after all retries')
}

/** Waits until everything that was due at that moment is done. */
async function whenQuiet(stage: WebhookCrashStage, now: Date): Promise<void> {
  const deadline = Date.now() + QUIET_WITHIN_MS
  while ((await waiting(stage, now)) > 0) {
    if (Date.now() > deadline) throw new Error(`${await waiting(stage, now)} are due and are not delivered`)
    await delay(LOOK_MS)
  }
}

/** The number of undelivered events, or of those that were due at a moment. */
async function waiting({ query }: WebhookCrashStage, dueAt: Date | null = null): Promise<number> {
  const [row] = await query<{ count: number }>(
    `select ((select count(*) from payment_events) + (select count(*) from events where queued)
       + (select count(*) from webhook_backlog) + (select count(*) from webhook_deliveries
         where status = 'pending' and ($1::timestamptz is null or next_attempt_at <= $1)))::int4 as count`,
    [dueAt],
  )
  return row?.count ?? 0
}

interface Tally {
  readonly events: number
  /** Failed attempts, and the maximum number of attempts of one event. */
  readonly failed: number
  readonly most: number
  /** The number of events that were accepted twice because the node crashed before it recorded the first. */
  readonly again: number
}

async function tally({ query, listeners }: WebhookCrashStage, events: number): Promise<Tally> {
  const received = listeners.flatMap(({ receiver }) => [...receiver.received.values()])
  const taken = received.reduce((sum, { accepted }) => sum + accepted, 0)
  const [row] = await query<{ failed: number; most: number }>(
    `select sum(attempts - 1)::int4 as failed, max(attempts) as most from webhook_deliveries`,
  )
  return { events, failed: row?.failed ?? 0, most: row?.most ?? 0, again: taken - events }
}
