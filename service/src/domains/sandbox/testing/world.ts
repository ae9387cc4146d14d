import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import type { AgentCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { type Clock, systemClock } from '../../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import { paise } from '../../../kernel/money.ts'
import { checkLedger, type Ledger, type LedgerReport, openLedger } from '../../../ledger/index.ts'
import { service } from '../../../operations/facts.ts'
import { createJobs, type Jobs } from '../../../operations/jobs.ts'
import { createTestDatabase, type TestDatabase } from '../../../testing/database.ts'
import { testOn } from '../../../testing/database-test.ts'
import { networkContext, newAgent, newOwner, newPlatform, TEST_VAULT } from '../../../testing/network.ts'
import { WITHOUT_PASSKEYS } from '../../../testing/without-passkeys.ts'
import { orderIdOf } from '../../banking/funding/apply-funding-update.ts'
import { type FundingContext, gatewaysOf } from '../../banking/funding/context.ts'
import type { Funding } from '../../banking/funding/funding.ts'
import { sessionIdOf } from '../../banking/funding/funding-record.ts'
import { fundingWebhooks } from '../../banking/funding/funding-webhooks.ts'
import { fundingJobs } from '../../banking/funding/jobs.ts'
import { openFunding } from '../../banking/funding/open-funding.ts'
import { handleGatewayWebhook } from '../../banking/gateway-webhooks.ts'
import { deactivateAgent } from '../../parties/agents/change-agent.ts'
import type { SandboxContext } from '../context.ts'
import { sandboxJobs, simulationJobs } from '../jobs.ts'
import { createSandboxGateway, type SandboxGateway } from '../providers/payment-gateway.ts'
import type { OutgoingWebhook } from '../providers/webhooks.ts'

/** Funding and the sandbox gateway over a real database, without HTTP between them. */
export interface World {
  readonly db: TestDatabase
  readonly clock: Clock
  readonly ledger: Ledger
  readonly gateway: SandboxGateway
  readonly funding: FundingContext
  readonly sandbox: SandboxContext
  readonly jobs: Jobs
  /** The HTTP status of each delivered webhook, in the order of their arrival. */
  readonly statuses: number[]
  /** Batches that the posting engine had to split. There are none while decisions see each other. */
  readonly faults: readonly unknown[]
  newAgentOfNewOwner(): Promise<Uuid>
  open(agentId: Uuid, amountPaise?: bigint): Promise<Opened>
  balance(agentId: Uuid): Promise<bigint>
  refundsOf(funding: Funding): Promise<{ reason: string; status: string; amount: bigint }[]>
  checkLedger(): Promise<LedgerReport>
  advance(seconds: number): void
  /** Another node of the same service, with a ledger and jobs of its own. */
  newNode(): { readonly jobs: Jobs; close(): Promise<void> }
  close(): Promise<void>
}

export interface Opened {
  readonly funding: Funding
  readonly session: string
}

/** The world of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let world: World

export const test = testOn(
  () => openWorld(),
  opened => {
    world = opened
  },
)

/** `around` wraps the gateway, to lose or to alter calls and responses. */
export async function openWorld(
  around: (gateway: PaymentGateway) => PaymentGateway = gateway => gateway,
): Promise<World> {
  const db = await createTestDatabase({ maxConnections: 8 })
  const { database } = db
  const clock = systemClock()
  const vault = TEST_VAULT
  const faults: unknown[] = []
  const ledger = openLedger({ database, clock, vault, onError: error => faults.push(error) })
  const statuses: number[] = []
  const deliver = async (webhook: OutgoingWebhook) => {
    statuses.push(await take(funding, webhook))
  }
  const gateway = createSandboxGateway({
    database,
    clock,
    deliver,
    webhookSecrets: ['test-secret', 'secret-before'],
    merchantName: 'Batua',
  })
  const base = { database, clock, vault }
  const network = networkContext(database, clock)
  const funding: FundingContext = {
    ...base,
    ledger,
    gateways: gatewaysOf(around(gateway)),
    logger: silentLogger(),
    checkoutUrl: 'http://127.0.0.1/checkout',
  }
  const sandbox: SandboxContext = {
    ...base,
    funding,
    gateway,
    payouts: { simulation: { sendWebhooks: () => Promise.resolve(0) } },
    lastOtp: async () => null,
    receivedMessages: async () => [],
    jobs: () => jobs,
  }
  const jobs = createJobs({
    ...funding,
    jobs: [...fundingJobs(funding), ...sandboxJobs(sandbox), ...simulationJobs(sandbox)],
  })
  return {
    db,
    clock,
    ledger,
    gateway,
    funding,
    sandbox,
    jobs,
    statuses,
    faults,
    async newAgentOfNewOwner() {
      const owner = await newOwner(network, (await newPlatform(network)).platform.id)
      return (await newAgent(network, owner)).agent.id
    },
    open: (agentId, amountPaise = 100_000n) => openSessionFor(funding, agentId, amountPaise),
    balance: agentId => selectBalance(db, agentId),
    refundsOf: opened =>
      database.query(
        `select reason, status, amount_paise as amount from gateway_refunds where order_id = $1 order by id`,
        [orderIdOf(opened)],
      ),
    checkLedger: () => checkLedger(database),
    advance: seconds => clock.setOffsetMs(clock.offsetMs() + seconds * 1_000),
    newNode: () => openNode(funding),
    async close() {
      await jobs.stop()
      await ledger.close()
      await db.drop()
    },
  }
}

async function openSessionFor(context: FundingContext, agentId: Uuid, amountPaise: bigint): Promise<Opened> {
  const payer = { agentId, handle: 'tester', customer: { id: 'own_x', phone: '9876543210' } }
  const request = {
    payer,
    amountPaise: paise(amountPaise),
    method: 'link',
    opened: true,
    actor: service('test'),
  } as const
  const funding = await openFunding(context, request)
  return { funding, session: sessionIdOf(funding) }
}

function openNode(funding: FundingContext): ReturnType<World['newNode']> {
  const ledger = openLedger(funding)
  const jobs = createJobs({ ...funding, jobs: fundingJobs({ ...funding, ledger }) })
  return {
    jobs,
    async close() {
      await jobs.stop()
      await ledger.close()
    },
  }
}

async function take(funding: FundingContext, { body, headers }: OutgoingWebhook): Promise<number> {
  try {
    await handleGatewayWebhook(
      { ...funding, handlers: fundingWebhooks(funding) },
      'sandbox',
      Buffer.from(body),
      headers,
    )
    return 200
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}

/** Deactivates the agent as `DELETE /v1/agents/{agent_id}` does. */
export async function deactivate(
  { db, clock, ledger }: Pick<World, 'db' | 'clock' | 'ledger'>,
  agentId: Uuid,
): Promise<void> {
  const [agent] = await db.database.query<{ platformId: Uuid }>(
    `select platform_id as "platformId" from agents where id = $1`,
    [agentId],
  )
  const caller = { kind: 'platform', platformId: agent?.platformId ?? '' } as const
  const context = {
    database: db.database,
    clock,
    vault: TEST_VAULT,
    findAgent: () => null,
    limitIncreaseCooldownS: 0,
    maxAgentsPerOwner: 10_000,
    maxAgentsPerPlatform: 1_000_000,
    stepUp: WITHOUT_PASSKEYS,
    ledger,
  }
  await deactivateAgent(context, caller, formatId('agt', agentId))
}

async function selectBalance({ database }: TestDatabase, agentId: Uuid): Promise<bigint> {
  const [row] = await database.query<{ balance: bigint }>(
    `select balance_paise as balance from accounts where id = $1`,
    [agentId],
  )
  return row?.balance ?? -1n
}

/** The caller of routes that are served alone: the id of each agent is its key. */
export function callerWithId(key: string): AgentCaller | null {
  const agentId = parseId('agt', key)
  if (agentId === null) return null
  return { kind: 'agent', agentId, platformId: agentId, ownerId: agentId, keyHash: Buffer.alloc(32) }
}
