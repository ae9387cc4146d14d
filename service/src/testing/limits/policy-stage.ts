import { randomUUID } from 'node:crypto'
import { openAgentKeyCache } from '../../domains/parties/agents/credentials.ts'
import { serveAgents } from '../../domains/parties/agents/routes.ts'
import { budgetChanges } from '../../domains/parties/organizations/due-budgets.ts'
import { serveOwners } from '../../domains/parties/owners/routes.ts'
import { createAuthenticators } from '../../domains/parties/platforms/credentials.ts'
import { servePlatforms } from '../../domains/parties/platforms/routes.ts'
import { policyJobs } from '../../domains/parties/policies/due-changes.ts'
import { servePolicySettings } from '../../domains/parties/policies/routes.ts'
import { servePayments } from '../../domains/payments/routes.ts'
import type { Authenticators } from '../../http/caller.ts'
import type { Serve } from '../../http/serve.ts'
import type { Clock } from '../../kernel/clock.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { silentLogger } from '../../kernel/logger.ts'
import type { Ledger } from '../../ledger/index.ts'
import { createJobs } from '../../operations/jobs.ts'
import { fund, startNode, type TestNode } from '../builders.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { testOn } from '../database-test.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'
import {
  type NetworkContext,
  networkContext,
  randomHandle,
  randomPan,
  randomPhone,
  TEST_VAULT,
} from '../network.ts'
import { ADMIN_COOKIE, call, startTestServer, TEST_ADMIN } from '../test-server.ts'

export type Body = Record<string, unknown>
export type Headers = Record<string, string>

export interface Reply {
  readonly status: number
  readonly body: Body
}

export interface SignedUp {
  readonly platform: Headers
  readonly ownerId: string
}

export interface StageAgent {
  readonly id: string
  readonly uuid: Uuid
  readonly headers: Headers
}

/** The routes that set policies and pay under them, over HTTP, on two nodes. */
export interface PolicyStage {
  readonly db: TestDatabase
  /** The clock of the first node and of the jobs. The second node's may be ahead or behind. */
  readonly clock: ManualClock
  ask(method: string, path: string, headers: Headers, body?: unknown, node?: number): Promise<Reply>
  newOwner(): Promise<SignedUp>
  /** A new agent with plenty of money. */
  newAgentOf(of: SignedUp, policy?: object): Promise<StageAgent>
  pay(from: StageAgent, to: StageAgent, amount: number, node?: number): Promise<Reply>
  /** The results of the payment on each node, one after the other. */
  payOnBoth(from: StageAgent, to: StageAgent, amount: number): Promise<(number | string)[]>
  /** Moves the clock and runs the jobs that are due, as the sandbox's test clock does. */
  advance(ms: number): Promise<void>
  close(): Promise<void>
}

const PLENTY = 10n ** 12n

/**
 * A test session's token is the ids of its owners, separated by dots. Each request has a session of its own, whose id
 * has no time: an id of another time than the manual clock's would begin the order of ids within a millisecond again.
 */
export const STAGE_SESSIONS: Pick<Authenticators, 'owner' | 'admin'> = {
  owner(token) {
    const ids = token.split('.').flatMap(text => parseId('own', text) ?? [])
    return ids.length === 0 ? null : { kind: 'owner', ownerIds: ids, sessionId: randomUUID() }
  },
  admin: token => (ADMIN_COOKIE.endsWith(`=${token}`) ? TEST_ADMIN : null),
}

export const AS_ADMIN: Headers = { cookie: ADMIN_COOKIE, 'sec-fetch-site': 'same-origin' }

export function asOwners(...ownerIds: string[]): Headers {
  return { cookie: `service_session=${ownerIds.join('.')}`, 'sec-fetch-site': 'same-origin' }
}

type StageContext = NetworkContext & Pick<TestNode, 'agents'> & { readonly ledger: Ledger }

/** Routes that a stage serves in addition to its own. */
export type MoreRoutes = (serve: Serve, context: StageContext) => void

async function startServer(db: TestDatabase, clock: Clock, more: MoreRoutes) {
  const { database } = db
  const node = startNode({ database, clock })
  const authenticators = { ...createAuthenticators(database, TEST_VAULT), ...STAGE_SESSIONS }
  const context = { ...networkContext(database, clock), ledger: node.ledger, agents: node.agents }
  const server = await startTestServer(
    ({ serve }) => {
      servePlatforms(serve, context)
      serveOwners(serve, context)
      serveAgents(serve, context)
      servePolicySettings(serve, context)
      servePayments(serve, {
        ...context,
        authenticators,
        agentKeys: openAgentKeyCache(database, TEST_VAULT),
        signals: { policyRefusal: () => undefined },
        receiptToken: async () => null,
      })
      more(serve, context)
    },
    { database, authenticators, clock },
  )
  return { server, node }
}

/** Noon on a Friday in India. */
const NOON = new Date('2026-11-20T06:30:00.000Z')

/** The stage of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let stage: PolicyStage

export const test = testOn(
  () => openPolicyStage(),
  opened => {
    stage = opened
  },
)

export async function openPolicyStage(
  start = NOON,
  more: MoreRoutes = () => undefined,
  secondAheadMs = 0,
): Promise<PolicyStage> {
  const db = await createTestDatabase()
  const clock = manualClock(start)
  const second: Clock = { ...clock, now: () => new Date(clock.now().getTime() + secondAheadMs) }
  const nodes = [await startServer(db, clock, more), await startServer(db, second, more)] as const
  const jobs = createJobs({
    clock,
    database: db.database,
    logger: silentLogger(),
    jobs: [
      ...policyJobs(networkContext(db.database, clock)),
      budgetChanges(networkContext(db.database, clock)),
    ],
  })
  const stage: PolicyStage = {
    db,
    clock,
    async ask(method, path, headers, body, node = 0) {
      const { server } = node === 0 ? nodes[0] : nodes[1]
      const reply = await call(server, method, path, { headers, body })
      return { status: reply.status, body: reply.body as Body }
    },
    async newOwner() {
      const { body } = await stage.ask('POST', '/v1/platforms', {}, { name: 'Test platform' })
      const platform = {
        'x-platform-id': String(body['platform_id']),
        'x-platform-secret': String(body['platform_secret']),
      }
      const person = { name: 'Asha Rao', phone: randomPhone(), pan: randomPan() }
      const owner = await stage.ask('POST', '/v1/owners', platform, person)
      return { platform, ownerId: String(owner.body['owner_id']) }
    },
    async newAgentOf({ platform, ownerId }, policy = {}) {
      const request = { name: 'Test agent', handle: randomHandle(), owner_id: ownerId, ...policy }
      const { body } = await stage.ask('POST', '/v1/agents', platform, request)
      const id = String(body['agent_id'])
      const uuid = parseId('agt', id) ?? ''
      await fund(nodes[0].node.ledger, uuid, PLENTY)
      return { id, uuid, headers: { 'x-agent-key': String(body['agent_key']) } }
    },
    pay: (from, to, amount, node) =>
      stage.ask('POST', `/v1/agents/${from.id}/pay`, from.headers, { to: to.id, amount }, node),
    async payOnBoth(from, to, amount) {
      const responses = [await stage.pay(from, to, amount, 0), await stage.pay(from, to, amount, 1)]
      return responses.map(({ status, body }) => (status < 300 ? status : layerOf(body)))
    },
    async advance(ms) {
      clock.advance(ms)
      await jobs.runDue()
    },
    async close() {
      for (const { server, node } of nodes) {
        await server.close()
        await node.ledger.close()
      }
      await db.drop()
    },
  }
  return stage
}

/** The layer that refused. */
function layerOf(body: Body): string {
  const { details } = body['error'] as { details?: { layer?: string } }
  return details?.layer ?? 'refused'
}
