import type { AgentStatus, PaymentResult, Tier } from '@batua/contract'
import type { Database, Queryable } from '../db/database.ts'
import { writeMacs } from '../db/row-mac.ts'
import { sumPayoutsPending } from '../domains/banking/payouts/store.ts'
import { type AgentPolicyCache, openAgentPolicyCache } from '../domains/limits/agent-facts.ts'
import { AGENT_ROWS } from '../domains/limits/covered-tables.ts'
import { recordPolicyVersions } from '../domains/limits/history/record-versions.ts'
import { sumAuthorized } from '../domains/payments/authorizations/store.ts'
import { sumHeld } from '../domains/payments/escrow/store.ts'
import { type PaymentOrder, pay } from '../domains/payments/pay.ts'
import { type Refund, type RefundOrder, refundCommand } from '../domains/payments/refund.ts'
import { findPayment } from '../domains/payments/store.ts'
import type { AppError } from '../kernel/app-error.ts'
import type { Clock } from '../kernel/clock.ts'
import { newUuid, parseId, type Uuid } from '../kernel/ids.ts'
import { type Logger, silentLogger } from '../kernel/logger.ts'
import { paise } from '../kernel/money.ts'
import { hashSecret, openVault, type Vault } from '../kernel/secrets.ts'
import {
  checkLedger,
  type Ledger,
  type LedgerOptions,
  lockForChange,
  openAccount,
  openLedger,
  type Posting,
  SYSTEM,
  type Transfer,
} from '../ledger/index.ts'
import { service } from '../operations/facts.ts'
import { SEED } from './knobs.ts'

const TEST_VAULT = openVault(Buffer.alloc(32, 7))

/** The part of a node that moves money: a posting engine and its policy cache. */
export interface TestNode {
  readonly database: Database
  readonly vault: Vault
  readonly logger: Logger
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
  /** Errors of batches whose commands were then run one by one. */
  readonly broken: readonly unknown[]
  pay(order: PaymentOrder): Promise<PaymentResult>
  refund(order: RefundOrder): Promise<Refund>
}

let nodesStarted = 0

/** Each node of a file decides its batches in another way; which comes first depends on the seed. */
export function nextOptimism(): NonNullable<LedgerOptions['optimism']> {
  return (['always', 'adaptive', 'never'] as const)[(SEED + nodesStarted++) % 3] ?? 'adaptive'
}

export function startNode(
  options: Pick<LedgerOptions, 'database' | 'clock'> & Partial<LedgerOptions>,
  rememberedAgents?: number,
): TestNode {
  const broken: unknown[] = []
  const optimism = nextOptimism()
  const ledger = openLedger({ vault: TEST_VAULT, optimism, onError: error => broken.push(error), ...options })
  const agents = openAgentPolicyCache(rememberedAgents)
  return {
    ...{ database: options.database, vault: TEST_VAULT, logger: silentLogger() },
    ...{ ledger, agents, broken },
    pay: order => pay(ledger, agents, order),
    refund: order => ledger.submit(refundCommand(agents, order)),
  }
}

/** The controls of an agent by column; money in paise. */
export interface ControlColumns {
  readonly spend_limit_per_tx_paise?: bigint | null
  readonly spend_limit_hourly_paise?: bigint | null
  readonly spend_limit_daily_paise?: bigint | null
  readonly spend_limit_monthly_paise?: bigint | null
  readonly per_counterparty_daily_limit_paise?: bigint | null
  readonly max_counterparties_per_hour?: number | null
  readonly require_escrow_above_paise?: bigint | null
  readonly require_human_approval_above_paise?: bigint | null
  readonly allowed_payees?: readonly string[]
  readonly blocked_payee_agents?: readonly Uuid[]
}

export interface AgentColumns extends ControlColumns {
  /** Its own id, if not given. */
  readonly platform_id?: Uuid
  readonly status?: AgentStatus
  readonly paused_at?: Date
  readonly blocked_at?: Date | null
  readonly blocked_ms?: bigint
  readonly key_hash?: Buffer
  readonly tier?: Tier
  /** Its organization's budget for a calendar month. */
  readonly budget_limit_paise?: bigint | null
}

/** Inserts an agent with a wallet, but without a platform or owner. Its key is its id, until the test changes it. */
export async function insertAgent(database: Database, now: Date, columns: AgentColumns = {}): Promise<Uuid> {
  const id = newUuid(now)
  await database.inTransaction(async tx => {
    await tx.query(
      `insert into agents (id, platform_id, owner_id, handle, name, tier, key_hash, key_last4, public_key, created_at)
       values ($1, $1, $1, $2, 'An agent', 'tier3', $3, 'abcd', '', $4)`,
      [id, id, hashSecret(id), now],
    )
    await openAccount(tx, id, now)
    await setColumns(tx, id, columns)
    await writeMacs(tx, TEST_VAULT, AGENT_ROWS, [id])
    await recordPolicyVersions(tx, [id], { vault: TEST_VAULT, now, actor: TESTER })
  })
  return id
}

const TESTER = service('test')

/** Ends a change of what agents' layers set: their versions begin right after their last payments. */
export function beginVersions(tx: Queryable, ids: readonly Uuid[]): Promise<void> {
  return recordPolicyVersions(tx, ids, { vault: TEST_VAULT, now: new Date(0), actor: TESTER })
}

/** Changes an agent as the routes do, under its account's lock. Returns the wallet's sequence at that moment. */
export async function changeAgent(database: Database, id: Uuid, columns: AgentColumns): Promise<bigint> {
  return database.inTransaction(async tx => {
    await lockForChange(tx, [id])
    await setColumns(tx, id, columns)
    await writeMacs(tx, TEST_VAULT, AGENT_ROWS, [id])
    await beginVersions(tx, [id])
    const rows = await tx.query<{ sequence: bigint }>('select sequence from accounts where id = $1', [id])
    return rows[0]?.sequence ?? -1n
  })
}

async function setColumns(tx: Queryable, id: Uuid, columns: AgentColumns): Promise<void> {
  for (const [column, value] of Object.entries(columns)) {
    await tx.query(`update agents set ${column} = $2 where id = $1`, [id, value])
  }
}

/** Posts a transfer without any decision. */
export function post(ledger: Ledger, accounts: readonly Uuid[], posting: Posting): Promise<Transfer> {
  return ledger.submit({ accounts, reads: [], decide: batch => batch.post(posting) })
}

export function fund(ledger: Ledger, id: Uuid, amount: bigint): Promise<Transfer> {
  return post(ledger, [id], { kind: 'fund', debit: SYSTEM.gateway, credit: id, amountPaise: paise(amount) })
}

export async function insertFundedAgent(
  ledger: Ledger,
  database: Database,
  clock: Clock,
  amount: bigint,
  columns: AgentColumns = {},
): Promise<Uuid> {
  const id = await insertAgent(database, clock.now(), columns)
  await fund(ledger, id, amount)
  return id
}

export function order(
  payerId: Uuid,
  payeeId: Uuid | null,
  amount: bigint,
  more: Partial<PaymentOrder> = {},
): PaymentOrder {
  return {
    payerId,
    payeeId,
    keyHash: hashSecret(payerId),
    amountPaise: paise(amount),
    reference: null,
    note: null,
    idempotencyKey: null,
    uniqueReference: false,
    asksOwner: false,
    context: null,
    app: null,
    ...more,
  }
}

/** The order to refund a payment, as the route reads it from the ledger. */
export async function refundOrder(
  database: Database,
  paymentId: string | null,
  amount: bigint | null,
  idempotencyKey: string | null = null,
): Promise<RefundOrder> {
  const id = paymentId === null ? null : parseId('pay', paymentId)
  const payment = id === null ? null : await findPayment(database, id)
  if (payment === null) throw new Error(`there is no payment ${paymentId}`)
  const amountPaise = amount === null ? null : paise(amount)
  return { payment, keyHash: hashSecret(payment.payee), amountPaise, idempotencyKey, app: null }
}

export async function balanceOf(database: Queryable, id: Uuid): Promise<bigint> {
  const rows = await database.query<{ balance: bigint }>(
    'select balance_paise as balance from accounts where id = $1',
    [id],
  )
  return rows[0]?.balance ?? -1n
}

/** The sum of this payer's payments, without fees. */
export async function paidBy(database: Queryable, payer: Uuid): Promise<bigint> {
  const rows = await database.query<{ paid: bigint }>(
    `select coalesce(sum(amount_paise), 0)::int8 as paid from transfers where debit_account = $1 and kind = 'payment'`,
    [payer],
  )
  return rows[0]?.paid ?? -1n
}

const HOLDINGS = { escrow: sumHeld, authorizations: sumAuthorized, payouts: sumPayoutsPending }

/** Fails unless the ledger is balanced, and the balances of waiting money match their records. */
export async function expectBalanced(database: Database): Promise<void> {
  const report = await checkLedger(database, HOLDINGS)
  if (!report.balanced) throw new Error('the ledger is not balanced', { cause: report })
}

export interface Outcomes<Result> {
  readonly done: readonly Result[]
  readonly refused: readonly AppError[]
}

/** The outcomes of concurrent work; an error that is no refusal fails the test. */
export async function outcomesOf<Result>(works: readonly Promise<Result>[]): Promise<Outcomes<Result>> {
  const done: Result[] = []
  const refused: AppError[] = []
  for (const outcome of await Promise.allSettled(works)) {
    if (outcome.status === 'fulfilled') done.push(outcome.value)
    else if (isAppError(outcome.reason)) refused.push(outcome.reason)
    else throw new Error('an error that is no refusal', { cause: outcome.reason })
  }
  return { done, refused }
}

function isAppError(error: unknown): error is AppError {
  return error instanceof Error && error.name === 'AppError'
}
