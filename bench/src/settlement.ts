import pMap from 'p-map'
import { type Database, openDatabase } from '../../service/src/db/database.ts'
import { migrate } from '../../service/src/db/migrate.ts'
import { payoutAttempts } from '../../service/src/domains/banking/payouts/check-payout.ts'
import { settlementJobs } from '../../service/src/domains/banking/settlement/run-settlement.ts'
import { AGENT_ROWS } from '../../service/src/domains/limits/covered-tables.ts'
import { personalContext } from '../../service/src/domains/parties/owners/personal-data.ts'
import { OWNER_ROWS } from '../../service/src/domains/parties/owners/store.ts'
import { createSandboxPayouts } from '../../service/src/domains/sandbox/providers/payouts.ts'
import { DAY_MS, HOUR_MS, istDay } from '../../service/src/kernel/clock.ts'
import { fixedCalendar } from '../../service/src/kernel/holiday-file.ts'
import { newUuid, type Uuid } from '../../service/src/kernel/ids.ts'
import { silentLogger } from '../../service/src/kernel/logger.ts'
import type { Job } from '../../service/src/operations/jobs.ts'
import { fund, insertAgent, order, startNode, type TestNode } from '../../service/src/testing/builders.ts'
import { type ManualClock, manualClock } from '../../service/src/testing/manual-clock.ts'
import { median } from './figures.ts'
import { BENCH_VAULT, writeMacsOfMany, writeTierMacs } from './row-macs.ts'
import { type ServerAddress, urlOf } from './server-address.ts'

/** Payments during one phase, and the length of the phase. */
export interface Phase {
  readonly what: string
  readonly seconds: number
  /** The number of wallets or payouts processed in it; 0 if only payments were made. */
  readonly done: number
  readonly paymentsPerSecond: number
  readonly p99Ms: number
  /** The highest memory use of the process, in bytes. */
  readonly memory: number
}

export interface SettlementReport {
  readonly wallets: number
  readonly paidOut: number
  readonly payers: number
  readonly connections: number
  readonly phases: readonly Phase[]
}

export const WALLETS = 100_000
const AGENTS_OF_ONE_OWNER = 5
const DATABASE = 'settlement'
/** A Friday noon in India, and the next Tuesday at ten. */
const FUNDED_AT = new Date('2026-11-20T06:30:00.000Z')
const RUN_AT_MS = FUNDED_AT.getTime() + 4 * DAY_MS - 2 * HOUR_MS
const BALANCE = 57_300n
const PAYERS = 200
const CONNECTIONS = 64
const PLENTY = 10_000_000_000n
const QUIET_SECONDS = 8
/** Payouts are sent to a bank one by one; their rate is known after this time. */
const SENDING_SECONDS = 20

interface Stage {
  readonly database: Database
  readonly clock: ManualClock
  readonly node: TestNode
  readonly payers: readonly Uuid[]
  readonly settling: Job
  readonly sending: Job
}

/** Settles a hundred thousand wallets that are due at once, while agents continue to pay on the same node. */
export async function measureSettlement(
  server: ServerAddress,
  db: Database,
  say: (line: string) => void,
): Promise<SettlementReport> {
  await db.query(`create database ${DATABASE}`)
  const url = urlOf({ ...server, database: DATABASE })
  await migrate(url)
  const database = openDatabase(url, { applicationName: 'bench' })
  try {
    const stage = await setStage(database, say)
    const phases = await measurePhases(stage, say)
    await stage.node.ledger.close()
    const paidOut = await countPayouts(database)
    return { wallets: WALLETS, paidOut, payers: PAYERS, connections: CONNECTIONS, phases }
  } finally {
    await database.close()
  }
}

async function setStage(database: Database, say: (line: string) => void): Promise<Stage> {
  const clock = manualClock(FUNDED_AT)
  const node = startNode({ database, clock })
  say(`settlement: funding ${WALLETS} wallets`)
  await openLimits(database)
  const wallets = await insertWallets(database)
  await pMap(wallets, id => fund(node.ledger, id, BALANCE), { concurrency: 1_000 })
  clock.set(new Date(RUN_AT_MS - HOUR_MS))
  const payers: Uuid[] = []
  for (let count = 0; count < PAYERS; count++) {
    const id = await insertAgent(database, clock.now())
    await fund(node.ledger, id, PLENTY)
    payers.push(id)
  }
  await database.query('vacuum analyze')
  const payoutProvider = createSandboxPayouts({
    database,
    clock,
    webhookSecrets: ['bench'],
    deliver: async () => undefined,
  })
  const context = { ...node, database, clock, vault: BENCH_VAULT, payoutProvider, logger: silentLogger() }
  const holidays = fixedCalendar()
  const [settling] = settlementJobs({ ...context, holidays, settlement: 'on' })
  const sending = payoutAttempts({ ...context, holidays })
  if (settling === undefined) throw new Error('there is a job for settlement')
  return { database, clock, node, payers, settling, sending }
}

async function measurePhases(stage: Stage, say: (line: string) => void): Promise<Phase[]> {
  const { database, clock, settling, sending } = stage
  const quiet = await whilePaying(
    stage,
    'payments alone',
    until(QUIET_SECONDS, async () => 1),
    async () => 0,
  )
  clock.set(new Date(RUN_AT_MS))
  say('settlement: the run')
  const run = await whilePaying(
    stage,
    'the run: each wallet decided and debited, its payout inserted',
    async () => {
      while ((await settling.run(clock.now())) > 0);
    },
    () => countPayouts(database),
  )
  say('settlement: sending payouts')
  const send = await whilePaying(
    stage,
    'payouts sent to the bank and completed by its response',
    until(SENDING_SECONDS, () => sending.run(clock.now())),
    () => countCompleted(database),
  )
  const again = await whilePaying(
    stage,
    'payments alone, again',
    until(QUIET_SECONDS, async () => 1),
    async () => 0,
  )
  return [quiet, run, send, again]
}

/** Repeats some work for a time. */
function until(seconds: number, work: () => Promise<number>): () => Promise<void> {
  return async () => {
    const end = performance.now() + seconds * 1000
    while (performance.now() < end) {
      const did = await work()
      if (did <= 1) await new Promise(resolve => setTimeout(resolve, 10))
    }
  }
}

/** Every agent of a ring pays its neighbour, as fast as responses come, until the work has ended. */
async function whilePaying(
  { node, payers }: Stage,
  what: string,
  work: () => Promise<void>,
  count: () => Promise<number>,
): Promise<Phase> {
  const times: number[] = []
  let over = false
  let memory = 0
  const watch = setInterval(() => {
    memory = Math.max(memory, process.memoryUsage.rss())
  }, 50)
  const pay = async (connection: number) => {
    for (let turn = connection; !over; turn += CONNECTIONS) {
      const payer = payers[turn % PAYERS]
      const payee = payers[(turn + 1) % PAYERS]
      if (payer === undefined || payee === undefined) throw new Error('the ring is closed')
      const before = performance.now()
      await node.pay(order(payer, payee, 100n))
      times.push(performance.now() - before)
    }
  }
  const startedMs = performance.now()
  const paying = Promise.all(Array.from({ length: CONNECTIONS }, (_, connection) => pay(connection)))
  await work()
  over = true
  await paying
  clearInterval(watch)
  const seconds = (performance.now() - startedMs) / 1000
  const sorted = times.toSorted((left, right) => left - right)
  return {
    what,
    seconds,
    done: await count(),
    paymentsPerSecond: times.length / seconds,
    p99Ms: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    memory: Math.max(memory, process.memoryUsage.rss()),
  }
}

/** Verified owners with several agents each, all with a wallet. */
async function insertWallets(database: Database): Promise<Uuid[]> {
  const owners = await insertOwners(database)
  const agents = Array.from({ length: WALLETS }, () => newUuid(FUNDED_AT))
  await database.query(
    `insert into agents (id, platform_id, owner_id, handle, name, tier, key_hash, key_last4, public_key, created_at)
     select id, owner, owner, id::text, 'An agent', 'tier3', '', 'abcd', '', $3
     from unnest($1::uuid[], $2::uuid[]) a(id, owner)`,
    [agents, agents.map((_, index) => owners[Math.floor(index / AGENTS_OF_ONE_OWNER)]), FUNDED_AT],
  )
  await writeMacsOfMany(database, AGENT_ROWS, agents)
  const nowMs = FUNDED_AT.getTime()
  await database.query(
    `insert into accounts (id, last_posted_ms, last_spent_ms, hour_from_ms, day_from_ms, ist_day)
     select id, $2, $2, $3, $4, $5 from unnest($1::uuid[]) id`,
    [agents, BigInt(nowMs), BigInt(nowMs - HOUR_MS), BigInt(nowMs - DAY_MS), istDay(FUNDED_AT)],
  )
  return agents
}

/** Verified owners, each with a bank account that is encrypted for it alone. */
async function insertOwners(database: Database): Promise<Uuid[]> {
  const owners = Array.from({ length: WALLETS / AGENTS_OF_ONE_OWNER }, () => newUuid(FUNDED_AT))
  const encrypted = (column: 'phone' | 'bank_account', text: string) =>
    owners.map(id => BENCH_VAULT.encrypt(text, personalContext(id, column)).toString('hex'))
  await database.query(
    `insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, kyc_status, tier, bank_account,
       bank_account_last4, bank_ifsc, created_at)
     select id, id, 'Asha Rao', decode(phone, 'hex'), uuid_send(id), '', uuid_send(id), 'verified', 'tier1',
       decode(account, 'hex'), '9012', 'HDFC0001234', $4
     from unnest($1::uuid[], $2::text[], $3::text[]) o(id, phone, account)`,
    [owners, encrypted('phone', '9876543210'), encrypted('bank_account', '123456789012'), FUNDED_AT],
  )
  await writeMacsOfMany(database, OWNER_ROWS, owners)
  return owners
}

/** Agents of the tests' builders may pay anything. */
export async function openLimits(database: Database): Promise<void> {
  await database.query(
    `update tier_defaults set per_tx_paise = $1, daily_paise = $1, monthly_paise = $1, escrow_above_paise = $1,
       approval_above_paise = $1 where tier = 'tier3'`,
    [PLENTY],
  )
  await writeTierMacs(database)
}

async function countPayouts(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>('select count(*)::int4 as count from payouts')
  return row?.count ?? 0
}

async function countCompleted(database: Database): Promise<number> {
  const [row] = await database.query<{ count: number }>(
    `select count(*)::int4 as count from payouts where status = 'completed'`,
  )
  return row?.count ?? 0
}

/** The rate of payments during a settlement, as a share of the rate before and after it. */
export function shareWhileSettling({ phases }: SettlementReport): number {
  const alone = median(phases.filter(({ done }) => done === 0).map(phase => phase.paymentsPerSecond))
  const settling = phases.find(({ done }) => done > 0)
  return (settling?.paymentsPerSecond ?? Number.NaN) / alone
}
