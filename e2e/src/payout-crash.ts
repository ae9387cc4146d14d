import { randomInt } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { routes } from '@batua/contract'
import pMap from 'p-map'
import type { Api } from './api.ts'
import type { TestDatabase } from './database.ts'
import { type FundingAttempt, fundUntilUnavailable } from './funding-attempts.ts'
import { startLoad } from './load.ts'
import { type Agent, openNetwork } from './network.ts'
import type { PayoutStage } from './payout-stage.ts'
import { repeatUnknown, type Withdrawal, withdrawUntilUnavailable } from './withdrawals.ts'

// A power failure ends both at once.
export const VICTIMS = ['the service', 'the service and its database'] as const
type Victim = (typeof VICTIMS)[number]

/** A moment for a crash. Without a sign to wait for it is a random one. */
interface Moment {
  readonly name: string
  readonly sign: string | null
  /** Whether a settlement run starts before it. */
  readonly settles: boolean
}

export const MOMENTS: readonly Moment[] = [
  { name: 'withdrawals come in', settles: false, sign: null },
  {
    name: 'a run of settlement pays out',
    settles: true,
    sign: `select count(*)::int4 from payouts where kind = 'settlement'`,
  },
  {
    name: 'a payout is at the bank and not settled here',
    settles: false,
    sign: `select count(*)::int4 from payouts where status = 'pending' and last_sent_at + interval '90 s' < next_check_at`,
  },
  {
    name: 'a run of settlement begins',
    settles: true,
    sign: `select count(*)::int4 from settlement_runs`,
  },
  {
    name: 'a payout is taken to be sent',
    settles: false,
    sign: `select count(*)::int4 from payouts where status = 'pending' and attempts > 0 and last_sent_at is null`,
  },
]

/** The requests of clients in all crashes so far. */
export interface Asked {
  readonly withdrawals: Withdrawal[]
  readonly fundings: FundingAttempt[]
}

const LONGEST_LOAD_MS = 700
const TOPPED_UP = 16
const AT_ONCE = { concurrency: 8 }
const PAYERS = 2

/** Kills the service at a random moment while payouts of every kind are sent, and starts it again on the same data.
 * Half of the interrupted settlement runs are not continued, because the service is started only days later.
 */
export async function crash(stage: PayoutStage, asked: Asked, moment: Moment, victim: Victim): Promise<void> {
  const { service, api, wallets } = stage
  const agents = wallets.map(({ agent }) => agent)
  await topUp(api, agents)
  const secondsToRun = await untilOld(api)
  const payers = startLoad(service.address, { clients: PAYERS, agents, maxPaise: 200, onNoResponse: 'end' })
  const clients = [
    withdrawUntilUnavailable(service.address, agents, asked.withdrawals),
    fundUntilUnavailable(api, agents, asked.fundings),
  ]
  if (!moment.settles) clients.push(nudgeUntilSilence(api))
  await delay(randomInt(20, LONGEST_LOAD_MS))
  const look = await openSign(stage, moment)
  if (moment.settles) clients.push(advance(api, secondsToRun).then(noted, noted))
  await look()
  const database = service.postmaster()
  await service.kill()
  if (victim !== 'the service') process.kill(database, 'SIGKILL')
  await Promise.all([payers.stop(), ...clients])
  await service.start()
  if (moment.settles && randomInt(2) === 0) await settle(api)
}

const SEEN_WITHIN_MS = 3_000
const LONGEST_PAUSE_MS = 12

const noted = () => undefined

/** Waits until the moment's sign has grown, or for a time limit, and then a little longer. */
async function openSign({ service }: PayoutStage, { sign }: Moment): Promise<() => Promise<void>> {
  if (sign === null) return async () => undefined
  const window = await service.window()
  const count = async () => (await window.query<{ count: number }>(sign))[0]?.count ?? 0
  const before = await count()
  return async () => {
    const deadline = Date.now() + SEEN_WITHIN_MS
    while ((await count()) <= before && Date.now() < deadline) await delay(1)
    await window.close()
    await delay(randomInt(LONGEST_PAUSE_MS))
  }
}

async function topUp(api: Api, agents: readonly Agent[]): Promise<void> {
  const network = openNetwork(api)
  const poor = Array.from({ length: TOPPED_UP }, () => agents[randomInt(agents.length)])
  await pMap(
    poor,
    async agent => {
      if (agent !== undefined) await network.fund(agent, 100)
    },
    AT_ONCE,
  )
}

const LONGEST_NUDGE_S = 40

/** Advances the clock so that payouts are sent and queried, repeatedly until the service is gone. */
async function nudgeUntilSilence(api: Api): Promise<void> {
  try {
    for (;;) await advance(api, randomInt(LONGEST_NUDGE_S))
  } catch {
    return
  }
}

const DAY_S = 86_400
/** Ten o'clock in India, in seconds of a UTC day. */
const RUN_AT_S = 4.5 * 3_600
/** This is more than two business days even with a weekend and holidays in between. */
const OLD_AFTER_DAYS = 6

/** Advances the clock to the hour at which all money is old enough to be settled. */
export async function settle(api: Api): Promise<void> {
  await advance(api, await untilOld(api))
}

/** The number of seconds to that hour. */
async function untilOld(api: Api): Promise<number> {
  const seconds = Math.floor((await advance(api, 0)).getTime() / 1_000)
  const toTheHour = (RUN_AT_S - (seconds % DAY_S) + DAY_S) % DAY_S
  return OLD_AFTER_DAYS * DAY_S + toTheHour
}

async function advance(api: Api, seconds: number): Promise<Date> {
  const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: seconds } })
  return new Date(now)
}

/** A crashed request keeps its Idempotency-Key for a while, as a crashed node keeps its settlement run. */
const LEASE_S = 61

/** Repeats the requests without a response, after the leases of crashed requests have expired. */
export async function recover({ api, service }: PayoutStage, asked: Asked): Promise<void> {
  await advance(api, LEASE_S)
  asked.withdrawals.push(...(await repeatUnknown(service.address, asked.withdrawals)))
}

const STEP_S = 1_850
const MOST_STEPS = 40

/** Advances the clock until every payout is final, or long enough for that. */
export async function rest({ api }: PayoutStage, { query }: Pick<TestDatabase, 'query'>): Promise<void> {
  for (let step = 0; step < MOST_STEPS; step++) {
    await advance(api, STEP_S)
    const [row] = await query<{ open: number }>(OPEN_PAYOUTS)
    if (row?.open === 0) return
  }
}

/** Payouts in progress, and those that the bank will return. */
const OPEN_PAYOUTS = `
  select count(*)::int4 as open from payouts p
  where p.status = 'pending' or p.status = 'completed' and exists (
    select 1 from sandbox_beneficiaries b where b.beneficiary_id = p.beneficiary_id and b.behaviour = 'reversed')`
