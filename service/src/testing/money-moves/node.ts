import { type Database, openDatabase } from '../../db/database.ts'
import type { BankVerifier } from '../../gateways/bank-verifier.ts'
import type { OutgoingNotice } from '../../gateways/sandbox/notices.ts'
import type { SandboxGateway } from '../../gateways/sandbox/payment-gateway.ts'
import type { SandboxPayouts } from '../../gateways/sandbox/payouts.ts'
import { createJobs, type Jobs } from '../../jobs/jobs.ts'
import { AppError } from '../../kernel/app-error.ts'
import { type Ledger, openLedger } from '../../ledger/index.ts'
import { raiseAgentsToTier1 } from '../../modules/agents/index.ts'
import { fixedCalendar } from '../../modules/calendar/index.ts'
import { escrowJobs } from '../../modules/escrow/index.ts'
import { type FundingContext, fundingJobs, fundingNotices, gatewaysOf } from '../../modules/funding/index.ts'
import { noticeJobs, takeNotice } from '../../modules/notices/index.ts'
import { type OwnersContext, ownerJobs } from '../../modules/owners/index.ts'
import { payoutJobs, payoutNotices } from '../../modules/payouts/index.ts'
import { type AgentRegister, openAgentRegister } from '../../modules/policies/index.ts'
import type { SandboxContext } from '../../modules/sandbox/index.ts'
import { type SettlementContext, settlementJobs } from '../../modules/settlement/index.ts'
import type { ManualClock } from '../manual-clock.ts'
import { TEST_VAULT } from '../network.ts'
import type { Dice } from './dice.ts'
import { overLine, payoutsOverLine, verifierOverLine } from './faulty-gateways.ts'
import { faultyLine, type Weather } from './faulty-line.ts'
import { type Life, mortalDatabase, mortalLedger, newLife } from './mortality.ts'
import type { RequestDiary } from './request-diary.ts'
import type { Tally } from './tally.ts'
import type { WatchedLog } from './watched-log.ts'

/** What all nodes have around them: the world of banks, one clock, one database. */
export interface Surroundings {
  readonly url: string
  readonly clock: ManualClock
  readonly dice: Dice
  readonly tally: Tally
  readonly weather: Weather
  readonly diary: RequestDiary
  readonly log: WatchedLog
  readonly gateway: SandboxGateway
  readonly provider: SandboxPayouts
  readonly verifier: BankVerifier
  /** Batches that broke and were taken apart, on whichever node. */
  readonly broken: unknown[]
}

/** One node of the service: everything in it is its own but the database and the clock. */
export interface MoneyNode {
  readonly ledger: Ledger
  readonly agents: AgentRegister
  readonly funding: FundingContext
  readonly payouts: SettlementContext
  readonly owners: OwnersContext
  readonly sandbox: SandboxContext
  readonly jobs: Jobs
  readonly life: Life
  takeNotice(gateway: string, notice: OutgoingNotice): Promise<number>
  /** Lets go of what the node held, dead or alive. */
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
    database: mortalDatabase(opened, life),
    ledger: mortalLedger(engine, life),
    agents: openAgentRegister(),
    clock,
    vault: TEST_VAULT,
    logger: around.log.logger,
  }
  const contexts = contextsOf(around, core, life, settlement)
  const { funding, payouts } = contexts
  const takers = [...fundingNotices(funding), ...payoutNotices(payouts)]
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
    takeNotice: (gateway, notice) =>
      statusOf(takeNotice({ ...core, takers }, gateway, Buffer.from(notice.body), notice.headers)),
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
  readonly agents: AgentRegister
}

function contextsOf(around: Surroundings, core: Core, life: Life, settlement: 'on' | 'off') {
  const line = faultyLine(around.dice, around.tally, around.weather, life)
  const funding: FundingContext = {
    ...core,
    gateways: gatewaysOf(overLine(around.gateway, line, around.diary)),
    checkoutUrl: 'http://127.0.0.1/checkout',
  }
  const payouts: SettlementContext = {
    ...core,
    settlement,
    payoutProvider: payoutsOverLine(around.provider, line, around.diary),
    holidays: fixedCalendar(),
  }
  const bankVerifier = verifierOverLine(around.verifier, line)
  const owners: OwnersContext = { ...core, bankVerifier, raiseAgentsToTier1, limitIncreaseCooldownS: 0 }
  return { funding, payouts, owners }
}

function jobsOf(core: Core, { funding, payouts, owners }: ReturnType<typeof contextsOf>) {
  return [
    ...fundingJobs(funding),
    ...payoutJobs(payouts),
    ...settlementJobs(payouts),
    ...ownerJobs(owners),
    ...noticeJobs(core),
    ...escrowJobs(core),
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
