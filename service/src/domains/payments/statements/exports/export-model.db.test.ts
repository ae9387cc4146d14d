import type { Statement, StatementLine, Transaction } from '@batua/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../../kernel/ids.ts'
import { rupees } from '../../../../kernel/money.ts'
import { PROOF_LENGTH } from '../../../../testing/knobs.ts'
import { manualClock } from '../../../../testing/manual-clock.ts'
import { newOwner } from '../../../../testing/network.ts'
import { randomSteps, type Step, take, WALLETS } from '../testing/random-history.ts'
import type { History } from '../testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  openWalletNetwork,
  read,
  type Wallet,
  type WalletNetwork,
} from '../testing/wallet-network.ts'
import { exportStatement } from './export-statement.ts'
import { openPeriod } from './period.ts'

/** Ten minutes before a day, a month and a financial year end in India. */
const START = new Date('2026-03-31T18:20:00.000Z')
const RUNS = 10 * PROOF_LENGTH

const clock = manualClock(START)
let open: WalletNetwork

beforeAll(async () => {
  open = await openWalletNetwork(clock)
})

afterAll(() => open.close())

/** One side of a transfer, as the table has it. */
interface Posted {
  readonly wallet: Uuid
  readonly at: Date
  readonly sequence: bigint
  readonly balance: bigint
  readonly change: bigint
}

/** What the ledger wrote, read without anything that statements are read with. */
async function posted(wallets: readonly Uuid[]): Promise<Posted[]> {
  return open.db.database.query<Posted>(
    `select * from (
       select debit_account as wallet, posted_at as at, debit_sequence as sequence, debit_balance_paise as balance,
         -(amount_paise + fee_paise) as change from transfers where debit_account = any($1::uuid[])
       union all
       select credit_account, posted_at, credit_sequence, credit_balance_paise, amount_paise
         from transfers where credit_account = any($1::uuid[])
     ) sides order by at, sequence`,
    [wallets],
  )
}

interface Span {
  readonly from: Date | null
  readonly until: Date | null
}

async function statementOf(wallets: readonly Uuid[], span: Span): Promise<Statement> {
  const context = {
    database: open.db.database,
    vault: open.network.vault,
    coveringCheckpoint: async () => null,
  }
  const request = { agentId: null, title: '', subtitle: '', format: 'json', now: clock.now() } as const
  const chunks = await exportStatement(context, { ...request, wallets, span })
  let text = ''
  for await (const chunk of chunks) text += String(chunk)
  return JSON.parse(text) as Statement
}

/** Compares a statement with the ledger's own rows. */
function compare(statement: Statement, all: readonly Posted[], { from, until }: Span): void {
  const before = (end: Date | null) => all.filter(({ at }) => end === null || at < end)
  const sum = (rows: readonly Posted[]) => rows.reduce((total, { change }) => total + change, 0n)
  const inside = before(until).filter(({ at }) => from === null || at >= from)
  expect(statement.opening_balance).toBe(rupees(from === null ? 0n : sum(before(from))))
  expect(statement.closing_balance).toBe(rupees(sum(before(until))))
  const wallets = new Set(all.map(({ wallet }) => wallet))
  for (const wallet of wallets) {
    const own = statement.lines.filter(({ agent_id }) => agent_id === formatId('agt', wallet))
    const expected = inside.filter(row => row.wallet === wallet)
    expect(own.map(({ change, posted_at }) => [change, posted_at])).toEqual(
      expected.map(({ change, at }) => [rupees(change), at.toISOString()]),
    )
    if (wallets.size === 1)
      expect(own.map(line => line.running_balance)).toEqual(expected.map(({ balance }) => rupees(balance)))
  }
  compareSums(statement)
}

const paiseOf = (amount: number) => BigInt(Math.round(amount * 100))

/** What a reader of the statement can check with a pencil. */
function compareSums({ lines, totals, opening_balance, closing_balance }: Statement): void {
  let balance = paiseOf(opening_balance)
  let last = ''
  for (const { change, running_balance, posted_at } of lines) {
    balance += paiseOf(change)
    expect(paiseOf(running_balance)).toBe(balance)
    expect(posted_at >= last).toBe(true)
    last = posted_at
  }
  expect(balance).toBe(paiseOf(closing_balance))
  expect(paiseOf(opening_balance) + paiseOf(totals.credited) - paiseOf(totals.debited)).toBe(balance)
  expect(totals.lines).toBe(lines.length)
  expect(new Set(lines.map(({ id }) => id)).size).toBe(lines.length)
}

/** A line that begins a transaction is its record; what the list shows of the outcome is another line here. */
async function compareRecords(wallet: Wallet, lines: readonly StatementLine[]): Promise<void> {
  const { transactions } = await read(open, wallet, { limit: 100 })
  const records = new Map(transactions.map(record => [record.id, record]))
  for (const line of lines.slice(-100)) {
    const record = records.get(line.reverses ?? line.id)
    if (record === undefined) continue
    const { posted_at, agent_id, change, running_balance, reverses, net_amount, ...shown } = line
    expect([agent_id, net_amount]).toEqual([formatId('agt', wallet.id), Math.abs(change)])
    expect(posted_at >= shown.created_at).toBe(true)
    expect(Number.isFinite(running_balance)).toBe(true)
    if (reverses === null) expect(shown).toEqual(withoutNet(record))
    else expect(shown).toMatchObject({ type: record.type, counterparty_id: record.counterparty_id })
  }
}

function withoutNet({ net_amount: _net, ...record }: Transaction): Omit<Transaction, 'net_amount'> {
  return record
}

const randomEnds = fc.array(fc.nat(), { minLength: 4, maxLength: 8 })

test('opening balance and lines lead to the closing balance of the ledger, for any history and any period', async () => {
  const property = fc.asyncProperty(randomSteps, randomEnds, async (steps, picks) => {
    const { wallets } = await runSteps(steps)
    const ids = wallets.map(({ id }) => id)
    const all = await posted(ids)
    const ends = picks.map(pick => all[pick % all.length]?.at ?? START).map((at, index) => beside(at, index))
    const spans = ends.flatMap((end, index) => [spanOf(ends[index - 1] ?? null, end), spanOf(end, null)])
    for (const span of [{ from: null, until: null }, ...spans]) {
      compare(await statementOf(ids, span), all, span)
      for (const wallet of wallets) {
        const own = all.filter(row => row.wallet === wallet.id)
        const statement = await statementOf([wallet.id], span)
        compare(statement, own, span)
        await compareRecords(wallet, statement.lines)
      }
    }
  })
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
}, 600_000)

test('the closing balance of a day is the opening balance of the next, and together they have every line once', async () => {
  const property = fc.asyncProperty(randomSteps, async steps => {
    const { wallets, from } = await runSteps(steps)
    const ids = wallets.map(({ id }) => id)
    for (const some of [ids, ids.slice(0, 1)]) {
      const whole = await statementOf(some, { from: null, until: null })
      const lines: StatementLine[] = []
      let balance = 0
      for (let day = from; day <= clock.now(); day = new Date(day.getTime() + DAY_MS)) {
        const next = await statementOf(some, { from: day, until: new Date(day.getTime() + DAY_MS) })
        expect(next.opening_balance).toBe(balance)
        balance = next.closing_balance
        lines.push(...next.lines)
      }
      expect(lines).toEqual(whole.lines)
      expect(balance).toBe(whole.closing_balance)
    }
  })
  await fc.assert(property, { numRuns: 2 * PROOF_LENGTH, endOnFailure: true })
}, 600_000)

test('however few movements are read at once, all come once and in the same order', async () => {
  const property = fc.asyncProperty(
    randomSteps,
    fc.integer({ min: 1, max: 7 }),
    async (steps, linesAtOnce) => {
      const { wallets } = await runSteps(steps)
      const ids = wallets.map(({ id }) => id)
      const context = { database: open.db.database, vault: open.network.vault }
      const slices = async (...most: readonly [number?]) => {
        const period = await openPeriod(context, ids, { from: null, until: null }, clock.now(), ...most)
        const all: (readonly unknown[])[] = []
        for await (const slice of period.slices())
          all.push(...slice.map(({ id, side, runningPaise }) => [id, side, runningPaise]))
        return all
      }
      expect(await slices(linesAtOnce)).toEqual(await slices())
    },
  )
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
}, 600_000)

/** Runs a history of new wallets. */
async function runSteps(steps: readonly (readonly [pauseMs: number, step: Step])[]) {
  const from = clock.now()
  const history: History = emptyHistory(open)
  const owner = await newOwner(open.network, open.owner.platformId)
  const wallets: Wallet[] = []
  for (const name of WALLETS) wallets.push(await newFilledWallet({ ...open, owner }, history, name))
  // The money that fills the wallets is never charged back, so that they can always pay.
  history.fundings.length = 0
  for (const [pauseMs, step] of steps) {
    clock.advance(pauseMs)
    await take(history, wallets, step)
  }
  return { wallets, from }
}

/** A moment of the history, or one millisecond before or after it. */
function beside(moment: Date, index: number): Date {
  return new Date(moment.getTime() + (index % 3) - 1)
}

function spanOf(from: Date | null, until: Date): Span
function spanOf(from: Date, until: null): Span
function spanOf(from: Date | null, until: Date | null): Span {
  return from !== null && until !== null && from > until ? { from: until, until: from } : { from, until }
}
