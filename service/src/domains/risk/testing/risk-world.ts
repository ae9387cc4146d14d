import type { RiskRuleName } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Logger, silentLogger } from '../../../kernel/logger.ts'
import type { Ledger, Transfer } from '../../../ledger/index.ts'
import { createJobs } from '../../../operations/jobs.ts'
import { type AgentColumns, fund, insertAgent } from '../../../testing/builders.ts'
import { createTestDatabase } from '../../../testing/database.ts'
import { testOn } from '../../../testing/database-test.ts'
import { type ManualClock, manualClock } from '../../../testing/manual-clock.ts'
import { openTestLedger, postPayment } from '../../../testing/model/wallets.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import type { Alert } from '../alerts/store.ts'
import { riskJobs } from '../jobs.ts'
import { createSignalRecorder, type SignalRecorder } from '../signals.ts'

/** A little more than the age from which the rules read a transfer. */
const READABLE_AFTER_MS = 6_000
const RICH = 1_000_000_000n

/** A ledger with agents, a manual clock, and the risk rules, which run on request. */
export interface RiskWorld {
  readonly database: Database
  readonly clock: ManualClock
  readonly ledger: Ledger
  readonly signals: SignalRecorder
  /** Warnings that the jobs have logged. */
  readonly warnings: readonly unknown[]
  /** An agent with plenty of money. */
  agent(columns?: AgentColumns): Promise<Uuid>
  pay(payer: Uuid, payee: Uuid, amount: bigint): Promise<Transfer>
  /** Makes payments one after the other, `everyMs` apart; the clock then shows the time of the last. */
  payOften(payer: Uuid, payee: Uuid, amount: bigint, times: number, everyMs?: number): Promise<Transfer[]>
  /** Waits until the transfers are old enough and runs the rules that are due, on this many nodes at once. */
  run(nodes?: number): Promise<void>
  /** Changes the thresholds of a rule, as an operator does. */
  tune(rule: RiskRuleName, thresholds: Readonly<Record<string, unknown>>): Promise<void>
  /** Every alert of a rule on a subject, oldest first. */
  alerts(subjectId: Uuid, rule: RiskRuleName): Promise<Alert[]>
  /** Runs the rules and returns the number of alerts of one rule on a subject. */
  opened(subjectId: Uuid, rule: RiskRuleName): Promise<number>
  /** Closes the open alert of a rule on a subject, as of now. */
  dismiss(subjectId: Uuid, rule: RiskRuleName): Promise<void>
  close(): Promise<void>
}

/** The world of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let world: RiskWorld

export const test = testOn(openRiskWorld, opened => {
  world = opened
})

export async function openRiskWorld(): Promise<RiskWorld> {
  const { database, drop } = await createTestDatabase()
  const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
  const ledger = openTestLedger(database, clock)
  const signals = createSignalRecorder(clock)
  const warnings: unknown[] = []
  const warn: Logger['warn'] = (line: unknown) => void warnings.push(line)
  const logger = { ...silentLogger(), warn, error: failOn }
  const newNode = () =>
    createJobs({
      clock,
      database,
      logger,
      jobs: riskJobs({ database, clock, vault: TEST_VAULT, logger, signals }),
    })
  const nodes = [newNode(), newNode(), newNode()]
  const pay: RiskWorld['pay'] = (payer, payee, amount) => postPayment(ledger, payer, payee, amount)
  const run: RiskWorld['run'] = async (count = 1) => {
    clock.advance(READABLE_AFTER_MS)
    await Promise.all(nodes.slice(0, count).map(node => node.runDue()))
  }
  return {
    database,
    clock,
    ledger,
    signals,
    warnings,
    pay,
    run,
    async opened(subjectId, rule) {
      await run()
      return (await selectAlertsOf(database, subjectId, rule)).length
    },
    async agent(columns) {
      const id = await insertAgent(database, clock.now(), { tier: 'sandbox', ...columns })
      await fund(ledger, id, RICH)
      return id
    },
    async payOften(payer, payee, amount, times, everyMs = 1_000) {
      const transfers: Transfer[] = []
      for (let paid = 0; paid < times; paid++) {
        if (paid > 0) clock.advance(everyMs)
        transfers.push(await pay(payer, payee, amount))
      }
      return transfers
    },
    async tune(rule, thresholds) {
      await database.query(`update risk_rules set thresholds = thresholds || $2::jsonb where rule = $1`, [
        rule,
        JSON.stringify(thresholds),
      ])
    },
    alerts: (subjectId, rule) => selectAlertsOf(database, subjectId, rule),
    async dismiss(subjectId, rule) {
      await database.query(
        `update risk_alerts set status = 'dismissed', reviewed_at = $3
         where subject_id = $1 and rule = $2 and status = 'open'`,
        [subjectId, rule, clock.now()],
      )
    },
    async close() {
      await ledger.close()
      await drop()
    },
  }
}

function failOn(line: unknown): never {
  throw new Error('A job failed', { cause: line })
}

function selectAlertsOf(database: Database, subjectId: Uuid, rule: RiskRuleName): Promise<Alert[]> {
  return database.query<Alert>(
    `select id, agent_id as "agentId", platform_id as "platformId", rule, severity, score, evidence, status, note,
       created_at as "createdAt", reviewed_at as "reviewedAt"
     from risk_alerts where subject_id = $1 and rule = $2 order by id`,
    [subjectId, rule],
  )
}
