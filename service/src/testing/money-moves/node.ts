import { type Database, openDatabase } from '../../db/database.ts'
import { type FundingContext, gatewaysOf } from '../../domains/banking/funding/context.ts'
import { fundingWebhooks } from '../../domains/banking/funding/funding-webhooks.ts'
import { fundingJobs } from '../../domains/banking/funding/jobs.ts'
import { handleGatewayWebhook, webhookCleanup } from '../../domains/banking/gateway-webhooks.ts'
import { payoutAttempts } from '../../domains/banking/payouts/check-payout.ts'
import { payoutWebhooks } from '../../domains/banking/payouts/payout-webhooks.ts'
import { type SettlementContext, settlementJobs } from '../../domains/banking/settlement/run-settlement.ts'
import { type AgentPolicyCache, openAgentPolicyCache } from '../../domains/limits/agent-facts.ts'
import { raiseAgentsToTier1 } from '../../domains/parties/agents/group-store.ts'
import { accountChanges } from '../../domains/parties/owners/change-account.ts'
import type { OwnersContext } from '../../domains/parties/owners/context.ts'
import { bankVerifications } from '../../domains/parties/owners/submit-kyc.ts'
import { escrowTimeouts } from '../../domains/payments/escrow/timeouts.ts'
import type { SandboxContext } from '../../domains/sandbox/context.ts'
import type { SandboxGateway } from '../../domains/sandbox/providers/payment-gateway.ts'
import type { SandboxPayouts } from '../../domains/sandbox/providers/payouts.ts'
import type { OutgoingWebhook } from '../../domains/sandbox/providers/webhooks.ts'
import type { BankVerifier } from '../../gateways/bank-verifier.ts'
import { AppError } from '../../kernel/app-error.ts'
import { fixedCalendar } from '../../kernel/holiday-file.ts'
import { type Ledger, openLedger } from '../../ledger/index.ts'
import { createJobs, type Jobs } from '../../operations/jobs.ts'
import type { ManualClock } from '../manual-clock.ts'
import { TEST_VAULT } from '../network.ts'
import { crashingDatabase, crashingLedger, type Life, newLife } from './crashes.ts'
import { type ConnectionState, faultyConnection } from './faulty-connection.ts'
import { gatewayOver, payoutsOver, verifierOver } from './faulty-gateways.ts'
import type { Random } from './random.ts'
import type { RequestLog } from './request-log.ts'
import type { Tally } from './tally.ts'
import type { WatchedLog } from './watched-log.ts'

/** What all nodes share: the simulated banks, one clock, one database. */
export interface Surroundings {
  readonly url: string
  readonly clock: ManualClock
  readonly random: Random
  readonly tally: Tally
  readonly connectionState: ConnectionState
  readonly requestLog: RequestLog
  readonly log: WatchedLog
  readonly gateway: SandboxGateway
  readonly provider: SandboxPayouts
  readonly verifier: BankVerifier
  /** Errors of batches whose commands were then run one by one, on any node. */
  readonly broken: unknown[]
}

/** One node of the service: it shares only the database and the clock. */
export interface MoneyNode {
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  readonly funding: FundingContext
  readonly payouts: SettlementContext
  readonly owners: OwnersContext
  readonly sandbox: SandboxContext
  readonly jobs: Jobs
  readonly life: Life
  handleGatewayWebhook(gateway: string, webhook: OutgoingWebhook): Promise<number>
  /** Releases the node's resources, whether it crashed or not. */
  close(): Promise<void>
}

const CONNECTIONS = 6

export function startMoneyNode(around: Surroundings, settlement: 'on' | 'off'): MoneyNode {
  const life = newLife()
  const opened = openDatabase(around.url, { maxConnections: CONNECTIONS })
  const { clock } = around
  const engine = openLedger({
    database: opened,
    clock,
    vault: TEST_VAULT,
    onError: error => around.broken.push(error),
  })
  const core = {
    database: crashingDatabase(opened, life),
    ledger: crashingLedger(engine, life),
    agents: openAgentPolicyCache(),
    clock,
    vault: TEST_VAULT,
    logger: around.log.logger,
  }
  const contexts = contextsOf(around, core, life, settlement)
  const { funding, payouts } = contexts
  const handlers = [...fundingWebhooks(funding), ...payoutWebhooks(payouts)]
  const jobs = createJobs({ ...core, jobs: jobsOf(core, contexts) })
  return {
    ...core,
    ...contexts,
    jobs,
    life,
    sandbox: {
      ...{ ...core, funding, gateway: around.gateway, payouts: around.provider },
      ...{
        lastOtp: () => Promise.resolve(null),
        receivedMessages: () => Promise.resolve([]),
        jobs: () => jobs,
      },
    },
    handleGatewayWebhook: (gateway, webhook) =>
      statusOf(
        handleGatewayWebhook({ ...core, handlers }, gateway, Buffer.from(webhook.body), webhook.headers),
      ),
    async close() {
      await jobs.stop()
      await engine.close()
      await opened.close()
    },
  }
}

interface Core extends Pick<FundingContext, 'clock' | 'vault' | 'logger'> {
  readonly database: Database
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}

function contextsOf(around: Surroundings, core: Core, life: Life, settlement: 'on' | 'off') {
  const connection = faultyConnection(around.random, around.tally, around.connectionState, life)
  const funding: FundingContext = {
    ...core,
    gateways: gatewaysOf(gatewayOver(around.gateway, connection, around.requestLog)),
    checkoutUrl: 'http://127.0.0.1/checkout',
  }
  const payouts: SettlementContext = {
    ...core,
    settlement,
    payoutProvider: payoutsOver(around.provider, connection, around.requestLog),
    holidays: fixedCalendar(),
  }
  const bankVerifier = verifierOver(around.verifier, connection)
  const owners: OwnersContext = { ...core, bankVerifier, raiseAgentsToTier1, limitIncreaseCooldownS: 0 }
  return { funding, payouts, owners }
}

function jobsOf(core: Core, { funding, payouts, owners }: ReturnType<typeof contextsOf>) {
  return [
    ...fundingJobs(funding),
    payoutAttempts(payouts),
    ...settlementJobs(payouts),
    bankVerifications(owners),
    accountChanges(owners),
    webhookCleanup(core),
    escrowTimeouts(core),
  ]
}

async function statusOf(taking: Promise<void>): Promise<number> {
  try {
    await taking
    return 200
  } catch (error) {
    if (error instanceof AppError) return error.status
    throw error
  }
}
