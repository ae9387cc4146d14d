import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import { uniformFloat64 } from 'pure-rand/distribution/uniformFloat64'
import { xoroshiro128plus } from 'pure-rand/generator/xoroshiro128plus'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startLoad } from './load.ts'
import { expectedEvents, listFaults, toldFaults } from './webhook-aftermath.ts'
import { openWebhookCrashStage, VICTIMS, type WebhookCrashStage } from './webhook-crash-stage.ts'
import { startWeather } from './webhook-weather.ts'

export interface WebhookCrashOptions {
  /** How many events of payments there are at the least; each payment is two. */
  readonly events: number
  readonly crashes: number
  /** What goes wrong follows from it, as far as that is not a matter of who is faster. */
  readonly seed: number
  /** Whether a node's lease of a receiver has to run out by itself after the last crash, which takes half a minute. */
  readonly awaitsLease: boolean
  readonly report: (tally: Tally) => void
}

const CLIENTS = 8
const LONGEST_DELAY_MS = 300
/** Moved with every crash, so that retries come in the middle of it; too little for the tenth attempt to be reached. */
const LONGEST_MOVE_S = 400
const POLL_MS = 20
const LOOK_MS = 100
/** Longer than the longest time between two attempts of one that has failed a few times. */
const STEP_S = 30_000
const MOST_STEPS = 8
const QUIET_WITHIN_MS = 150_000
/** A machine with much else to do takes its time. */
const SET_UP_WITHIN_MS = 120_000
const BASE_MS = 120_000
const PER_EVENT_MS = 10
const SHOWN = 10

/** Kills nodes under payment load while receivers fail in every way, and proves that every event arrived. */
export function webhookCrashTests(options: WebhookCrashOptions): void {
  const { events, crashes, seed } = options
  const timeout = BASE_MS + events * PER_EVENT_MS
  let stage: WebhookCrashStage

  beforeAll(async () => {
    stage = await openWebhookCrashStage()
  }, SET_UP_WITHIN_MS)
  afterAll(async () => {
    expect(await stage.close()).toEqual([])
  }, SET_UP_WITHIN_MS)

  test(`each of ${events} events arrives unaltered, through ${crashes} crashes and failing receivers (seed ${seed})`, {
    timeout,
  }, async () => {
    const { query, listeners, elsewhere, api } = stage
    await crashThrough(stage, options)
    await settle(stage)

    const expected = await expectedEvents(query)
    expect(expected.size).toBeGreaterThanOrEqual(events)
    for (const { platform, receiver } of listeners) {
      expect(toldFaults(platform, receiver, expected).slice(0, SHOWN)).toEqual([])
    }
    expect(elsewhere.hits()).toBe(0)
    const counts = await tally(stage, expected.size)
    expect(counts.failed).toBeGreaterThan(0)
    options.report(counts)
    for (const { platform } of listeners) {
      expect((await listFaults(api, platform, expected)).slice(0, SHOWN)).toEqual([])
    }
  })
}

/** Numbers from 0 up to 1 that are the same for the same seed. */
function seededRandom(seed: number): () => number {
  const generator = xoroshiro128plus(seed)
  return () => uniformFloat64(generator)
}

/** Has both nodes paid through, again and again, until one of them or both are killed. */
async function crashThrough(stage: WebhookCrashStage, options: WebhookCrashOptions): Promise<void> {
  const { listeners, elsewhere } = stage
  const receivers = listeners.map(({ receiver }) => receiver)
  const random = seededRandom(options.seed)
  const weather = startWeather(receivers, elsewhere.url, seededRandom(options.seed + 1))
  const moves: Promise<void>[] = []
  const payments = Math.ceil(options.events / 2 / options.crashes)
  for (let crash = 1; crash <= options.crashes; crash++) {
    await payThrough(stage, payments, random)
    if (crash < options.crashes || !options.awaitsLease) await endLeases(stage)
    // It is answered when all that is due was tried; the next crash is not to wait for that.
    moves.push(advance(stage, Math.floor(random() * LONGEST_MOVE_S)).then(noted, noted))
  }
  await weather.clear()
  await Promise.all(moves)
}

const noted = () => undefined

async function payThrough(stage: WebhookCrashStage, payments: number, random: () => number): Promise<void> {
  const { agents } = stage
  const loads = stage
    .nodes()
    .map(({ address }) =>
      startLoad(address, { clients: CLIENTS, agents, maxPaise: 200, whenSilent: 'go on' }),
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

/** The receivers of a node that was killed are nobody's for half a minute, which the test has not each time. */
async function endLeases({ query }: WebhookCrashStage): Promise<void> {
  await query(`update webhook_endpoints set leased_until = clock_timestamp() where leased_by is not null`)
}

async function advance({ api }: WebhookCrashStage, seconds: number): Promise<Date> {
  const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
  return new Date(now)
}

/** Moves the clock from retry to retry until nothing is left to be told. */
async function settle(stage: WebhookCrashStage): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    const now = await advance(stage, step === 0 ? 0 : STEP_S)
    await whenQuiet(stage, now)
    const left = await waiting(stage)
    if (left === 0) return
  }
  throw new Error('deliveries are pending after all retries')
}

/** Waits until all is done that was due at that moment. */
async function whenQuiet(stage: WebhookCrashStage, now: Date): Promise<void> {
  const deadline = Date.now() + QUIET_WITHIN_MS
  while ((await waiting(stage, now)) > 0) {
    if (Date.now() > deadline) throw new Error(`${await waiting(stage, now)} are due and are not told`)
    await delay(LOOK_MS)
  }
}

/** How much is still to be told, or was due at a moment. */
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
  /** Attempts that the service knows to have failed, and the most that one event took. */
  readonly failed: number
  readonly most: number
  /** How often an event was taken that had been taken before, because nobody lived to know. */
  readonly again: number
}

async function tally({ query, listeners }: WebhookCrashStage, events: number): Promise<Tally> {
  const told = listeners.flatMap(({ receiver }) => [...receiver.told.values()])
  const taken = told.reduce((sum, { accepted }) => sum + accepted, 0)
  const [row] = await query<{ failed: number; most: number }>(
    `select sum(attempts - 1)::int4 as failed, max(attempts) as most from webhook_deliveries`,
  )
  return { events, failed: row?.failed ?? 0, most: row?.most ?? 0, again: taken - events }
}
