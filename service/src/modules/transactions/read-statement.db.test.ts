import { listTransactions, TRANSACTION_STATUSES, TRANSACTION_TYPES, type Transaction } from '@batua/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { answerCheck } from '../../http/answer-check.ts'
import type { AgentCaller } from '../../http/caller.ts'
import type { Clock } from '../../kernel/clock.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import type { Ledger } from '../../ledger/index.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import {
  agentCaller,
  type NetworkContext,
  networkContext,
  newAgent,
  newOwner,
  newPlatform,
} from '../../testing/network.ts'
import { openTestLedger } from '../../testing/wallets.ts'
import type { Owner } from '../owners/store.ts'
import { readStatement } from './read-statement.ts'
import { expectedStatement, type StatementQuery } from './testing/expected-statement.ts'
import {
  completeFunding,
  failFunding,
  type History,
  type HistoryAgent,
  newHistory,
  openFunding,
  pay,
  refund,
  reverseFunding,
} from './testing/wallet-history.ts'

const MINUTE_MS = 60_000
/** Ten minutes before a day, a month and a financial year end in India. */
const START_MS = Date.parse('2026-03-31T18:20:00.000Z')

let nowMs = START_MS
const clock: Clock = { now: () => new Date(nowMs), offsetMs: () => 0, setOffsetMs: () => undefined }
const fits = answerCheck(listTransactions)

type Wallet = HistoryAgent & { readonly caller: AgentCaller }

let db: TestDatabase
let network: NetworkContext
let ledger: Ledger
let owner: Owner
let history: History

beforeAll(async () => {
  db = await createTestDatabase()
  network = networkContext(db.database, clock)
  ledger = openTestLedger(db.database, clock)
  owner = await newOwner(network, (await newPlatform(network)).platform.id)
})

afterAll(async () => {
  await ledger.close()
  await db.drop()
})

beforeEach(() => {
  nowMs = START_MS
  history = newHistory(db.database, ledger, clock.now)
})

async function newWallet(name: string): Promise<Wallet> {
  const created = await newAgent(network, owner, { name })
  return { id: created.agent.id, name, caller: agentCaller(created) }
}

/** A wallet that has something to spend: its first line is a completed funding. */
async function newFilledWallet(name: string, amountPaise = 100_000_000n): Promise<Wallet> {
  const wallet = await newWallet(name)
  await completeFunding(history, await openFunding(history, wallet, amountPaise), 0n)
  return wallet
}

async function read(wallet: Wallet, query: StatementQuery = {}) {
  const list = await readStatement(network, wallet.caller, formatId('agt', wallet.id), query)
  fits(list)
  return list
}

/** All pages by their cursors. */
async function readThrough(wallet: Wallet, query: StatementQuery): Promise<Transaction[]> {
  const pages: Transaction[][] = []
  let cursor: string | undefined
  do {
    const { transactions, pagination } = await read(
      wallet,
      cursor === undefined ? query : { ...query, cursor },
    )
    pages.push(transactions)
    cursor = pagination.next_cursor
  } while (cursor !== undefined)
  return pages.flat()
}

test('a payment is a line on both sides, and the fee is the payer’s', async () => {
  const [payer, payee] = [await newFilledWallet('Research Agent'), await newWallet('Translation Agent')]
  nowMs += MINUTE_MS
  const payment = await pay(history, payer, payee, 40_000n, {
    reference: 'invoice-2041',
    note: 'Twelve\npages',
  })
  expect((await read(payer)).transactions[0]).toEqual({
    id: formatId('txn', payment.id),
    type: 'pay_out',
    amount: 400,
    fee: 2,
    net_amount: 402,
    counterparty_type: 'agent',
    counterparty_id: formatId('agt', payee.id),
    agent_name: 'Research Agent',
    counterparty_name: 'Translation Agent',
    reference: 'invoice-2041',
    note: 'Twelve\npages',
    status: 'completed',
    created_at: '2026-03-31T18:21:00.000Z',
    payment_id: formatId('pay', payment.id),
  })
  const { transactions, pagination } = await read(payee)
  expect(transactions).toMatchObject([
    { type: 'pay_in', amount: 400, fee: 0, net_amount: 400, counterparty_name: 'Research Agent' },
  ])
  expect(pagination).toEqual({ total: 1, limit: 20, offset: 0 })
})

test('a funding keeps its line and its id, whatever becomes of it', async () => {
  const wallet = await newWallet('Agent')
  const funding = await openFunding(history, wallet, 100_000n)
  const [pending] = (await read(wallet)).transactions
  expect(pending).toMatchObject({
    type: 'fund',
    amount: 1000,
    fee: 0,
    status: 'pending',
    counterparty_id: null,
  })

  nowMs += MINUTE_MS
  await completeFunding(history, funding, 2_500n)
  const completed = await read(wallet)
  expect(completed.transactions).toEqual([{ ...pending, fee: 25, net_amount: 975, status: 'completed' }])

  nowMs += MINUTE_MS
  await reverseFunding(history, funding)
  const reversed = await read(wallet)
  expect(reversed.transactions).toEqual([{ ...pending, fee: 25, net_amount: 975, status: 'reversed' }])
  expect(reversed.pagination.total).toBe(1)
})

test('a refund is a line on both sides that names the payment', async () => {
  const [payer, payee] = [await newFilledWallet('Payer'), await newWallet('Payee')]
  const payment = await pay(history, payer, payee, 40_000n, { reference: 'r', note: 'n' })
  nowMs += MINUTE_MS
  await refund(history, { transfer: payment, payer, payee }, 10_000n)
  const refunded = {
    amount: 100,
    fee: 0,
    net_amount: 100,
    reference: 'r',
    note: null,
    payment_id: formatId('pay', payment.id),
  }
  expect((await read(payee)).transactions).toMatchObject([
    { type: 'pay_out', ...refunded },
    { type: 'pay_in' },
  ])
  expect((await read(payer)).transactions).toMatchObject([
    { type: 'pay_in', ...refunded },
    { type: 'pay_out' },
    { type: 'fund' },
  ])
})

test('pages by cursor hold every line once, also while newer ones arrive', async () => {
  const [payer, payee] = [await newFilledWallet('Payer'), await newWallet('Payee')]
  for (let index = 0; index < 7; index++)
    await pay(history, payer, payee, 100n, { reference: `${index}`, note: null })
  const first = await read(payee, { limit: 3 })
  await pay(history, payer, payee, 100n, { reference: 'late', note: null })
  const cursor = first.pagination.next_cursor ?? ''
  const second = await read(payee, { limit: 3, cursor })
  const third = await read(payee, { limit: 3, cursor: second.pagination.next_cursor ?? '' })
  const references = [first, second, third].flatMap(list =>
    list.transactions.map(({ reference }) => reference),
  )
  expect(references).toEqual(['6', '5', '4', '3', '2', '1', '0'])
  expect(third.pagination).toEqual({ total: 8, limit: 3, offset: 0 })
})

test('an agent reads its own statement only, its platform and owner read it too', async () => {
  const [mine, other] = [await newWallet('Mine'), await newWallet('Other')]
  const address = formatId('agt', mine.id)
  const { platformId } = owner
  const stranger = newUuid(clock.now())
  for (const caller of [
    { kind: 'platform', platformId } as const,
    { kind: 'owner', ownerIds: [owner.id], sessionId: stranger } as const,
  ]) {
    expect((await readStatement(network, caller, address, {})).transactions).toEqual([])
  }
  for (const caller of [
    other.caller,
    { kind: 'platform', platformId: stranger } as const,
    { kind: 'owner', ownerIds: [stranger], sessionId: stranger } as const,
  ]) {
    expect((await refusalOf(readStatement(network, caller, address, {}))).code).toBe('authorization_error')
  }
  expect((await refusalOf(readStatement(network, mine.caller, 'agt_x', {}))).code).toBe('not_found')
})

type Step =
  | {
      readonly do: 'pay'
      readonly from: number
      readonly to: number
      readonly paise: bigint
      readonly reference: string | null
    }
  | { readonly do: 'refund'; readonly pick: number; readonly paise: bigint }
  | { readonly do: 'open'; readonly agent: number; readonly paise: bigint }
  | { readonly do: 'complete'; readonly pick: number; readonly fee: bigint }
  | { readonly do: 'fail' | 'reverse'; readonly pick: number }

const WALLETS = 3
const smallPaise = fc.bigInt({ min: 1n, max: 5_000n })
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      from: fc.nat(WALLETS - 1),
      to: fc.nat(WALLETS - 1),
      paise: smallPaise,
      reference: fc.option(fc.constantFrom('a', 'b"\\', '\u{1F600}')),
    }),
  },
  fc.record({ do: fc.constant('refund' as const), pick: fc.nat(), paise: smallPaise }),
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('open' as const),
      agent: fc.nat(WALLETS - 1),
      paise: fc.bigInt({ min: 5_000n, max: 9_000n }),
    }),
  },
  fc.record({ do: fc.constant('complete' as const), pick: fc.nat(), fee: fc.bigInt({ min: 0n, max: 200n }) }),
  fc.record({ do: fc.constantFrom('fail' as const, 'reverse' as const), pick: fc.nat() }),
)

/** How far the clock goes between steps: often not at all, so that many lines have one moment. */
const pause = fc.constantFrom(0, 0, 0, 1, 999, 30 * MINUTE_MS, 26 * 60 * MINUTE_MS)
const steps = fc.array(fc.tuple(pause, step), { minLength: 5, maxLength: 40 })

const query = fc.record(
  {
    type: fc.constantFrom(...TRANSACTION_TYPES),
    status: fc.constantFrom(...TRANSACTION_STATUSES),
    from_date: fc.nat(),
    to_date: fc.nat(),
    limit: fc.integer({ min: 1, max: 100 }),
    offset: fc.nat(20),
  },
  { requiredKeys: [] },
)

async function take(wallets: readonly Wallet[], next: Step): Promise<void> {
  const [from, to] = next.do === 'pay' ? [wallets[next.from], wallets[next.to]] : []
  const payment = history.payments[('pick' in next ? next.pick : 0) % Math.max(1, history.payments.length)]
  const funding = history.fundings[('pick' in next ? next.pick : 0) % Math.max(1, history.fundings.length)]
  switch (next.do) {
    case 'pay':
      if (from !== undefined && to !== undefined && from !== to) {
        await pay(history, from, to, next.paise, { reference: next.reference, note: null })
      }
      return
    case 'refund':
      if (payment !== undefined) await refund(history, payment, next.paise)
      return
    case 'open': {
      const agent = wallets[next.agent]
      if (agent !== undefined) await openFunding(history, agent, next.paise)
      return
    }
    case 'complete':
      if (funding?.line.record.status === 'pending') await completeFunding(history, funding, next.fee)
      return
    case 'fail':
      if (funding?.line.record.status === 'pending') await failFunding(history, funding)
      return
    case 'reverse':
      if (funding?.line.record.status === 'completed') await reverseFunding(history, funding)
      return
  }
}

/** An end of a span that is worth asking for: a day or a moment at which something happened, or just beside it. */
function spanEndOf(pick: number | undefined): string | undefined {
  const line = history.lines[(pick ?? 0) % Math.max(1, history.lines.length)]
  if (pick === undefined || line === undefined) return undefined
  const beside = new Date(line.at.getTime() + (pick % 3) - 1).toISOString()
  return pick % 2 === 0 ? beside : beside.slice(0, 10)
}

const RUNS = 30

test('a statement is the same as one kept by hand, for any history and any query', async () => {
  const property = fc.asyncProperty(
    steps,
    fc.array(query, { minLength: 4, maxLength: 10 }),
    async (taken, queries) => {
      history = newHistory(db.database, ledger, clock.now)
      const wallets: Wallet[] = []
      for (const name of ['One', 'Two', 'Three']) wallets.push(await newFilledWallet(name))
      // What fills the wallets is never charged back, so that they can always pay.
      history.fundings.length = 0
      for (const [pauseMs, next] of taken) {
        nowMs += pauseMs
        await take(wallets, next)
      }
      for (const wallet of wallets) for (const asked of queries) await compare(wallet, asked)
    },
  )
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
})

type Asked = Omit<StatementQuery, 'from_date' | 'to_date'> & { from_date?: number; to_date?: number }

async function compare(wallet: Wallet, { from_date: from, to_date: to, ...rest }: Asked): Promise<void> {
  const [fromDate, toDate] = [spanEndOf(from), spanEndOf(to)]
  const span = { ...(fromDate && { from_date: fromDate }), ...(toDate && { to_date: toDate }) }
  const asked: StatementQuery = { ...rest, ...span }
  const expected = expectedStatement(history.lines, wallet.id, asked)
  const { limit = 20, offset = 0 } = asked
  const { transactions, pagination } = await read(wallet, asked)
  expect(transactions, JSON.stringify(asked)).toEqual(expected.slice(offset, offset + limit))
  expect(pagination, JSON.stringify(asked)).toMatchObject({ total: expected.length, limit, offset })

  const { offset: _, ...through } = asked
  expect(await readThrough(wallet, { ...through, limit: Math.max(limit, 5) })).toEqual(expected)
}
