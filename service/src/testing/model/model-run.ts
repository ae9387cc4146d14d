import type { PaymentResult } from '@batua/contract'
import { type Database, openDatabase } from '../../db/database.ts'
import type { Refund } from '../../domains/payments/refund.ts'
import { AppError } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import type { Transfer } from '../../ledger/index.ts'
import {
  type AgentColumns,
  changeAgent,
  fund,
  insertAgent,
  order,
  startNode,
  type TestNode,
} from '../builders.ts'
import { createTestDatabase, type TestDatabase } from '../database.ts'
import { type ManualClock, manualClock } from '../manual-clock.ts'
import {
  type Change,
  MODEL_WALLETS,
  type ModelCommand,
  momentAfter,
  type Program,
  type ProgramControls,
  type Round,
} from './model-program.ts'
import {
  type Beside,
  explainRound,
  type Observed,
  type Posted,
  transferIdOf,
  withAgent,
} from './model-replay.ts'
import {
  balanceIn,
  type Model,
  type ModelAgent,
  type ModelControls,
  type ModelTransfer,
  OPEN_CONTROLS,
  totalsIn,
} from './wallet-model.ts'

const FIRST_FUNDS = 40_000n

export interface ModelStage {
  readonly db: TestDatabase
  readonly second: Database
  readonly database: Database
  readonly nodes: readonly TestNode[]
  /** The clock of all nodes. */
  readonly clock: ManualClock
  /** How often each result occurred: `done`, or the code of a refusal. */
  readonly tally: Map<string, number>
}

/** Two nodes, each with its own connections, on one new database. */
export async function openModelStage(): Promise<ModelStage> {
  const db = await createTestDatabase()
  const second = openDatabase(db.url)
  const clock = manualClock(new Date(0))
  const nodes = [db.database, second].map(database => startNode({ database, clock }))
  return { db, second, database: db.database, nodes, clock, tally: new Map() }
}

export async function closeModelStage({ db, second, nodes }: ModelStage): Promise<void> {
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
  await db.drop()
}

/** Runs a program on new wallets and fails at the first result that the model cannot explain. */
export async function runProgram(stage: ModelStage, { startMs, rounds }: Program): Promise<void> {
  const { database, clock } = stage
  clock.set(new Date(startMs))
  const wallets = await Promise.all(
    Array.from({ length: MODEL_WALLETS }, () => insertAgent(database, clock.now())),
  )
  let model: Model = {
    agents: new Map(wallets.map(id => [id, { status: 'active', key: id, controls: OPEN_CONTROLS }])),
    history: [],
  }
  const opening: ModelCommand[] = wallets.map((_, wallet) => ({ do: 'fund', wallet, amount: FIRST_FUNDS }))
  model = await runCommands(stage, model, wallets, opening, null)
  for (const round of rounds) {
    clock.set(new Date(momentAfter(clock.now().getTime(), round.advance, model.history)))
    model = await runRound(stage, model, wallets, round)
  }
  await expectStored(database, model)
}

async function runRound(
  stage: ModelStage,
  model: Model,
  wallets: readonly Uuid[],
  round: Round,
): Promise<Model> {
  if (round.change === null) return runCommands(stage, model, wallets, round.commands, null)
  const id = wallets[round.change.wallet] ?? ''
  const before = model.agents.get(id)
  if (before === undefined) throw new Error('a change is of a wallet of the program')
  const agent = changedAgent(before, round.change, wallets)
  if (round.beside) {
    const after = await runCommands(stage, model, wallets, round.commands, { id, agent })
    // A new policy decides from the next millisecond on.
    stage.clock.advance(1)
    return after
  }
  stage.clock.advance(1)
  await changeAgent(stage.database, id, columnsOf(agent))
  return runCommands(stage, withAgent(model, { id, agent }), wallets, round.commands, null)
}

async function runCommands(
  { database, nodes, clock, tally }: ModelStage,
  model: Model,
  wallets: readonly Uuid[],
  commands: readonly ModelCommand[],
  beside: Beside | null,
): Promise<Model> {
  const works = commands.flatMap((command, at) => {
    const node = nodes[at % nodes.length]
    return node === undefined ? [] : submit(node, model, wallets, command)
  })
  const changing = beside === null ? null : changeAgent(database, beside.id, columnsOf(beside.agent))
  const observed: Observed[] = await Promise.all(
    works.map(async ({ asked, response }) => ({ asked, outcome: await response })),
  )
  await changing
  for (const { outcome } of observed) {
    const response = outcome instanceof AppError ? outcome.code : 'done'
    tally.set(response, (tally.get(response) ?? 0) + 1)
  }
  const posted = await readTransfers(database, observed)
  return explainRound(model, observed, posted, beside, clock.now().getTime())
}

interface Work {
  readonly asked: Observed['asked']
  readonly response: Promise<Observed['outcome']>
}

/** Text with special characters, so that every key and reference tests all quoting. */
const textOf = (text: string | null) => (text === null ? null : `${text}"\\{,}'é`)

function submit(node: TestNode, model: Model, wallets: readonly Uuid[], command: ModelCommand): Work[] {
  switch (command.do) {
    case 'fund': {
      const wallet = wallets[command.wallet] ?? ''
      const { amount } = command
      return [
        { asked: { kind: 'fund', wallet, amount }, response: outcomeOf(fund(node.ledger, wallet, amount)) },
      ]
    }
    case 'pay': {
      const payer = wallets[command.payer] ?? ''
      const payee = wallets[command.payee] ?? null
      const presentedKey = command.staleKey ? 'stale' : (model.agents.get(payer)?.key ?? '')
      const { amount, unique } = command
      const [key, reference] = [textOf(command.key), textOf(command.reference)]
      const wanted = order(payer, payee, amount, {
        ...{ keyHash: hashSecret(presentedKey), idempotencyKey: key },
        ...{ reference, uniqueReference: unique && reference !== null },
      })
      const payment = { payer, payee, presentedKey, amount, key, reference, unique: wanted.uniqueReference }
      return [{ asked: { kind: 'payment', payment }, response: outcomeOf(node.pay(wanted)) }]
    }
    case 'refund':
      return submitRefund(node, model, command)
  }
}

function submitRefund(node: TestNode, model: Model, command: ModelCommand & { do: 'refund' }): Work[] {
  const payments = model.history.filter(({ kind }) => kind === 'payment')
  const payment = payments.at(-1 - (command.which % Math.max(1, payments.length)))
  if (payment === undefined || payment.from === null) return []
  const presentedKey = command.staleKey ? 'stale' : (model.agents.get(payment.to)?.key ?? '')
  const key = textOf(command.key)
  const response = node.refund({
    payment: {
      ...{ id: payment.id, payer: payment.from, payee: payment.to, reference: payment.reference },
      ...{ amountPaise: paise(payment.amount), feePaise: paise(payment.fee), payerBalancePaise: paise(0n) },
      ...{ idempotencyKey: payment.key, postedAt: new Date(payment.postedMs) },
    },
    keyHash: hashSecret(presentedKey),
    amountPaise: command.amount === null ? null : paise(command.amount),
    idempotencyKey: key,
    app: null,
  })
  const refund = { payment, presentedKey, amount: command.amount, key }
  return [{ asked: { kind: 'refund', refund }, response: outcomeOf(response) }]
}

/** A result or a refusal; any other error fails the test. */
function outcomeOf(response: Promise<PaymentResult | Refund | Transfer>): Promise<Observed['outcome']> {
  return response.catch((error: unknown) => {
    if (error instanceof AppError) return error
    throw new Error('neither a result nor a refusal', { cause: error })
  })
}

function changedAgent(agent: ModelAgent, change: Change, wallets: readonly Uuid[]): ModelAgent {
  switch (change.what) {
    case 'controls':
      return { ...agent, controls: controlsOf(change.controls, wallets) }
    case 'status':
      return { ...agent, status: change.status }
    case 'key':
      return { ...agent, key: `${agent.key}+` }
  }
}

function columnsOf({ status, key, controls }: ModelAgent): AgentColumns {
  return {
    status,
    key_hash: hashSecret(key),
    spend_limit_per_tx_paise: controls.perTx,
    spend_limit_hourly_paise: controls.hourly,
    spend_limit_daily_paise: controls.daily,
    spend_limit_monthly_paise: controls.monthly,
    per_counterparty_daily_limit_paise: controls.perCounterparty,
    max_counterparties_per_hour: controls.maxCounterparties,
    allowed_payees: controls.allowed ?? ['network'],
    blocked_payee_agents: controls.blocked,
  }
}

function controlsOf(controls: ProgramControls, wallets: readonly Uuid[]): ModelControls {
  const idsOf = (numbers: readonly number[]) => numbers.map(number => wallets[number] ?? '')
  return {
    ...controls,
    allowed: controls.allowed === null ? null : idsOf(controls.allowed),
    blocked: idsOf(controls.blocked),
  }
}

interface TransferRow {
  id: Uuid
  kind: ModelTransfer['kind']
  debit_account: Uuid
  credit_account: Uuid
  amount_paise: bigint
  fee_paise: bigint
  debit_balance_paise: bigint | null
  credit_balance_paise: bigint
  debit_sequence: bigint | null
  credit_sequence: bigint
  posted_at: Date
  idempotency_key: string | null
  reference: string | null
  linked_id: Uuid | null
}

/** The transfers in the ledger for all results that say `done`. */
async function readTransfers(database: Database, observed: readonly Observed[]): Promise<Posted[]> {
  const ids = observed.flatMap(({ outcome }) => transferIdOf(outcome) ?? [])
  const rows = await database.query<TransferRow>(
    `select id, kind, debit_account, credit_account, amount_paise, fee_paise, debit_balance_paise,
       credit_balance_paise, debit_sequence, credit_sequence, posted_at, idempotency_key, reference, linked_id
     from transfers where id = any($1)`,
    [ids],
  )
  return rows.map(row => ({
    ...{ id: row.id, kind: row.kind, to: row.credit_account },
    from: row.debit_sequence === null ? null : row.debit_account,
    ...{ amount: row.amount_paise, fee: row.fee_paise, postedMs: row.posted_at.getTime() },
    ...{ key: row.idempotency_key, reference: row.reference, refunds: row.linked_id },
    ...{ fromSequence: row.debit_sequence, toSequence: row.credit_sequence },
    ...{ fromBalance: row.debit_balance_paise, toBalance: row.credit_balance_paise },
  }))
}

/** Fails unless the stored wallets match their whole history. */
async function expectStored(database: Database, model: Model): Promise<void> {
  const rows = await database.query<{
    id: Uuid
    balance: bigint
    funded: bigint
    spent: bigint
    sequence: bigint
  }>(
    `select id, balance_paise as balance, total_funded_paise as funded, total_spent_paise as spent, sequence
     from accounts where id = any($1)`,
    [[...model.agents.keys()]],
  )
  for (const row of rows) {
    const { funded, spent, sequence } = totalsIn(model, row.id)
    const balance = balanceIn(model, row.id)
    const same =
      row.balance === balance && row.funded === funded && row.spent === spent && row.sequence === sequence
    if (!same)
      throw new Error('a wallet does not match its history', {
        cause: { row, balance, funded, spent, sequence },
      })
  }
}
