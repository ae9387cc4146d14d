import { type Database, openDatabase } from '../../db/database.ts'
import { orderIdOf } from '../../domains/banking/funding/apply-funding-update.ts'
import type { Funding } from '../../domains/banking/funding/funding.ts'
import { createSandboxBankVerifier } from '../../domains/sandbox/providers/bank-verifier.ts'
import { createSandboxGateway } from '../../domains/sandbox/providers/payment-gateway.ts'
import { createSandboxPayouts } from '../../domains/sandbox/providers/payouts.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { manualClock } from '../manual-clock.ts'
import { TEST_VAULT } from '../network.ts'
import type { ConnectionState } from './faulty-connection.ts'
import { type FaultyWebhooks, openFaultyWebhooks } from './faulty-webhooks.ts'
import { type MoneyNode, type Surroundings, startMoneyNode } from './node.ts'
import { openPeople, type People } from './people.ts'
import { seededRandom } from './random.ts'
import { openRequestLog } from './request-log.ts'
import { openTally } from './tally.ts'
import { openWatchedLog } from './watched-log.ts'

/** A payment session that a caller got a response for. */
export interface Session {
  readonly funding: Funding
  readonly session: string
  readonly openedMs: number
}

/** A payment between agents that the payer knows is done. */
export interface PaidPayment {
  readonly from: Uuid
  readonly to: Uuid
  readonly amountPaise: bigint
  readonly feePaise: bigint
}

/** Two nodes on one database, and the simulated banks. */
export interface MoneyWorld extends Surroundings {
  readonly startedAt: Date
  /** Connections of the simulated banks and of the test's own queries; nodes do not use them. */
  readonly outside: Database
  readonly webhooks: FaultyWebhooks
  readonly people: People
  readonly nodes: MoneyNode[]
  settlement: 'on' | 'off'
  readonly sessions: Session[]
  readonly payments: PaidPayment[]
  readonly escrows: Uuid[]
  /** Requests with an unexpected result. */
  readonly offences: string[]
  close(): Promise<void>
}

/** A Monday morning in India. */
const START = new Date('2026-11-16T04:00:00.000Z')
const GATEWAY_SECRETS = ['gateway-secret', 'gateway-secret-before'] as const
const PAYOUTS_SECRET = 'payouts-secret'
const OUTSIDE_CONNECTIONS = 12

export async function openMoneyWorld(seed: number, agents: number): Promise<MoneyWorld> {
  const db = await createTestDatabase()
  const outside = openDatabase(db.url, { maxConnections: OUTSIDE_CONNECTIONS })
  const random = seededRandom(seed)
  const clock = manualClock(START)
  const [tally, log, connectionState] = [
    openTally(),
    openWatchedLog(),
    { isReliable: false, late: [] } satisfies ConnectionState,
  ]
  const nodes: MoneyNode[] = []
  const sessions: Session[] = []
  const known = new Set<string>()
  const webhooks = openFaultyWebhooks({
    ...{ random, tally, connectionState, secrets: [...GATEWAY_SECRETS, PAYOUTS_SECRET] },
    anyNode: () => random.pick(nodes),
    isInsistent: body => isInsistent(body, sessions, known),
  })
  const { gateway, provider, verifier } = openBanks(outside, clock, webhooks)
  const around: Surroundings = {
    ...{ url: db.url, clock, random, tally, connectionState, log, gateway, provider, verifier },
    ...{ requestLog: openRequestLog(), broken: [] },
  }
  const people = await openPeople(outside, clock, agents)
  nodes.push(startMoneyNode(around, 'on'), startMoneyNode(around, 'on'))
  return {
    ...around,
    ...{ startedAt: START, outside, webhooks, people, nodes, settlement: 'on', sessions },
    ...{ payments: [], escrows: [], offences: [] },
    close: () => closeWorld(db, outside, nodes),
  }
}

function openBanks(database: Database, clock: Surroundings['clock'], webhooks: FaultyWebhooks) {
  const gateway = createSandboxGateway({
    ...{ database, clock, webhookSecrets: [...GATEWAY_SECRETS], merchantName: 'Batua' },
    deliver: webhooks.deliverFor('sandbox'),
  })
  const provider = createSandboxPayouts({
    ...{ database, clock, webhookSecrets: [PAYOUTS_SECRET] },
    deliver: webhooks.deliverFor('sandbox-payouts'),
  })
  return { gateway, provider, verifier: createSandboxBankVerifier({ database, clock, vault: TEST_VAULT }) }
}

interface SentEvent {
  readonly type: string
  readonly data: { readonly order?: { readonly order_id?: string } }
}

/** The service never queries disputes of old payments, or orders that it did not open. */
function isInsistent(body: string, sessions: readonly Session[], known: Set<string>): boolean {
  const { type, data } = JSON.parse(body) as SentEvent
  if (type.startsWith('DISPUTE_')) return true
  const orderId = data.order?.order_id
  if (orderId === undefined) return false
  return !isKnown(orderId, sessions, known)
}

function isKnown(orderId: string, sessions: readonly Session[], known: Set<string>): boolean {
  for (const { funding } of sessions.slice(known.size)) known.add(orderIdOf(funding))
  return known.has(orderId)
}

async function closeWorld(db: TestDatabase, outside: Database, nodes: readonly MoneyNode[]): Promise<void> {
  await Promise.all(nodes.map(node => node.close()))
  await outside.close()
  await db.drop()
}

/** Replaces a node, which may have crashed: everything in its memory is lost. */
export async function replaceNode(world: MoneyWorld, index: number): Promise<void> {
  const old = world.nodes[index]
  old?.life.end()
  world.nodes[index] = startMoneyNode(world, world.settlement)
  await old?.close()
}
