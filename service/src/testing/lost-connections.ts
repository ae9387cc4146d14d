import { setTimeout as delay } from 'node:timers/promises'
import { type Database, openDatabase } from '../db/database.ts'
import { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { insertFundedAgent, order, startNode, type TestNode } from './builders.ts'
import type { TestDatabase } from './database.ts'
import { type Fault, faultyDatabase } from './faulty-database.ts'

const WALLETS = 12
const WALLET_PAISE = 100_000_000n
const AMOUNT_PAISE = 100n
/** One of this many commits is sent but not awaited, or done but its response is lost. */
const COMMITS_PER_CUT = 6
const LONGEST_PAUSE_MS = 40
const CUTS = ['cut while it waits', 'cut while it runs', 'cut after the response'] as const

/** The responses to payers, by the references of their payments. */
export interface Outcomes {
  readonly done: Set<string>
  readonly unknown: Set<string>
  readonly refused: Set<string>
  kills: number
  readonly wallets: readonly Uuid[]
}

/** Payments on two nodes, round after round, while their connections are ended at any moment. */
export async function payWhileConnectionsDie(
  db: TestDatabase,
  clock: Clock,
  goOn: (round: number, done: number) => boolean,
): Promise<Outcomes> {
  const victims = [openVictim(db), openVictim(db)]
  const nodes = victims.map(victim => startNode({ database: faultyDatabase(victim, randomFault), clock }))
  const outcomes: Outcomes = {
    done: new Set(),
    unknown: new Set(),
    refused: new Set(),
    kills: 0,
    wallets: await fill(db, clock),
  }
  const state = { over: false }
  const killing = kill(db.database, outcomes, state)
  for (let round = 0; goOn(round, outcomes.done.size); round++) await payRound(nodes, outcomes, round)
  state.over = true
  await killing
  for (const { ledger } of nodes) await ledger.close()
  for (const victim of victims) await victim.close()
  return outcomes
}

function openVictim(db: TestDatabase): Database {
  return openDatabase(db.url, { applicationName: 'victim' })
}

function randomFault(text: string): Fault {
  if (text !== 'commit' || Math.random() * COMMITS_PER_CUT > 1) return 'none'
  return CUTS[Math.floor(Math.random() * CUTS.length)] ?? 'none'
}

async function fill(db: TestDatabase, clock: Clock): Promise<Uuid[]> {
  const { ledger } = startNode({ database: db.database, clock })
  const wallets = await Promise.all(
    Array.from({ length: WALLETS }, () => insertFundedAgent(ledger, db.database, clock, WALLET_PAISE)),
  )
  await ledger.close()
  return wallets
}

async function kill(
  database: Database,
  outcomes: Outcomes,
  state: { readonly over: boolean },
): Promise<void> {
  while (!state.over) {
    const rows = await database.query<{ killed: boolean }>(
      `select pg_terminate_backend(pid) as killed from pg_stat_activity
       where datname = current_database() and application_name = 'victim' order by random() limit 1`,
    )
    outcomes.kills += rows.length
    // On a slow machine no payment would be done between two kills; the pauses grow until one is.
    const slowness = outcomes.done.size === 0 ? 1 + outcomes.kills / 10 : 1
    await delay(Math.random() * LONGEST_PAUSE_MS * slowness)
  }
}

async function payRound(nodes: readonly TestNode[], outcomes: Outcomes, round: number): Promise<void> {
  const works = Array.from({ length: 60 }, async (_, at) => {
    const reference = `${round}/${at}`
    const payer = outcomes.wallets[at % WALLETS] ?? ''
    const payee = outcomes.wallets[(at * 7 + round + 1) % WALLETS] ?? ''
    // Half of them have no idempotency key that would prevent a second payment.
    const idempotencyKey = at % 2 === 0 ? reference : null
    const wanted = order(payer, payer === payee ? null : payee, AMOUNT_PAISE, { reference, idempotencyKey })
    await nodes[at % nodes.length]?.pay(wanted).then(
      () => outcomes.done.add(reference),
      (error: unknown) => outcomes[outcomeOf(error)].add(reference),
    )
  })
  await Promise.all(works)
}

function outcomeOf(error: unknown): 'unknown' | 'refused' {
  if (!(error instanceof AppError))
    throw new Error('a payer can conclude nothing from this error', { cause: error })
  return error.details?.['outcome'] === 'unknown' ? 'unknown' : 'refused'
}

/** How many payments each reference has in the ledger. */
export async function paidReferences(database: Database): Promise<Map<string, number>> {
  const rows = await database.query<{ reference: string; count: number }>(
    `select reference, count(*)::int4 as count from transfers where kind = 'payment' group by reference`,
  )
  return new Map(rows.map(({ reference, count }) => [reference, count]))
}

/** The differences between the responses to payers and the ledger; a test expects none. */
export async function wrongResponses(database: Database, outcomes: Outcomes): Promise<string[]> {
  const paid = await paidReferences(database)
  return [
    ...[...outcomes.done]
      .filter(reference => paid.get(reference) !== 1)
      .map(reference => `done, but not paid once: ${reference}`),
    ...[...outcomes.refused]
      .filter(reference => paid.has(reference))
      .map(reference => `refused, but paid: ${reference}`),
    ...[...paid].filter(([, count]) => count !== 1).map(([reference]) => `paid twice: ${reference}`),
  ]
}
