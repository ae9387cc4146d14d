import {
  listTransactions,
  type PlatformTransaction,
  TRANSACTION_STATUSES,
  TRANSACTION_TYPES,
  type Transaction,
} from '@batua/contract'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { responseCheck } from '../../../http/body/validate.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { PROOF_LENGTH } from '../../../testing/knobs.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { newOwner, newPlatform } from '../../../testing/network.ts'
import { readOwnerStatement, readPlatformStatement, type TransactionList } from './read-statement.ts'
import { expectedStatement, type StatementQuery } from './testing/expected-statement.ts'
import { randomSteps, take, WALLETS } from './testing/random-history.ts'
import type { History } from './testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  openWalletNetwork,
  read,
  type Wallet,
  type WalletNetwork,
} from './testing/wallet-network.ts'

/** Ten minutes before a day, a month and a financial year end in India. */
const START = new Date('2026-03-31T18:20:00.000Z')
const RUNS = 10 * PROOF_LENGTH

const clock = manualClock(START)
const fits = responseCheck(listTransactions)

let open: WalletNetwork

beforeAll(async () => {
  open = await openWalletNetwork(clock)
})

afterAll(() => open.close())

/** Ends of spans are picked among the moments of the history, once it exists. */
type RandomQuery = Omit<StatementQuery, 'from_date' | 'to_date'> & { from_date?: number; to_date?: number }

const randomQuery: fc.Arbitrary<RandomQuery> = fc.record(
  {
    type: fc.constantFrom(...TRANSACTION_TYPES),
    status: fc.constantFrom(...TRANSACTION_STATUSES),
    from_date: fc.nat(),
    to_date: fc.nat(),
    limit: fc.oneof(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 100 })),
    offset: fc.nat(20),
    reference: fc.constantFrom('a', 'b"\\', 'unused'),
  },
  { requiredKeys: [] },
)
const randomQueries = fc.array(randomQuery, { minLength: 4, maxLength: 10, size: 'max' })

test('a statement equals that of a plain model, for any history and any query', async () => {
  const property = fc.asyncProperty(randomSteps, randomQueries, async (steps, queries) => {
    const history = emptyHistory(open)
    const owner = await newOwner(open.network, (await newPlatform(open.network)).platform.id)
    const wallets: Wallet[] = []
    for (const name of WALLETS) wallets.push(await newFilledWallet({ ...open, owner }, history, name))
    // The money that fills the wallets is never charged back, so that they can always pay.
    history.fundings.length = 0
    for (const [pauseMs, step] of steps) {
      clock.advance(pauseMs)
      await take(history, wallets, step)
    }
    const platform = { kind: 'platform', platformId: owner.platformId } as const
    const session = { kind: 'owner', ownerIds: [owner.id], sessionId: owner.id } as const
    const all: List = {
      wallets: wallets.map(({ id }) => id),
      read: query => readOwnerStatement(open.network, session, query),
    }
    const ofPlatform: List = {
      wallets: wallets.map(({ id }) => id),
      async read(query) {
        const { transactions, pagination } = await readPlatformStatement(open.network, platform, query)
        return { transactions: transactions.map(withoutAgent), pagination }
      },
      takesReference: true,
    }
    const each = wallets.map(wallet => ({
      wallets: [wallet.id],
      read: (query: StatementQuery) => read(open, wallet, query),
    }))
    for (const list of [all, ofPlatform, ...each])
      for (const query of queries) await compare(history, list, query)
  })
  // A failure prints the seed that reproduces it.
  await fc.assert(property, { numRuns: RUNS, endOnFailure: true })
}, 600_000)

/** A platform's list names the agent by its id too. */
function withoutAgent({ agent_id, ...line }: PlatformTransaction): Transaction {
  expect(agent_id).toMatch(/^agt_/)
  return line
}

/** The statement of one wallet, or of all wallets of an owner or of a platform. */
interface List {
  readonly wallets: readonly Uuid[]
  readonly read: (query: StatementQuery) => Promise<TransactionList>
  readonly takesReference?: boolean
}

async function compare(history: History, list: List, random: RandomQuery): Promise<void> {
  const { reference, ...others } = queryOf(history, random)
  const query = list.takesReference === true && reference !== undefined ? { ...others, reference } : others
  const asked = JSON.stringify(query)
  const expected = expectedStatement(history.lines, list.wallets, query)
  const { limit = 20, offset = 0 } = query
  const response = await list.read(query)
  fits(response)
  expect(response.transactions, asked).toEqual(expected.slice(offset, offset + limit))
  expect(response.pagination, asked).toMatchObject({ total: expected.length, limit, offset })
  expect('next_cursor' in response.pagination, asked).toBe(offset + limit < expected.length)
  expect(await readThrough(list, query), asked).toEqual(expected)
}

function queryOf(history: History, { from_date: from, to_date: to, ...rest }: RandomQuery): StatementQuery {
  const [fromDate, toDate] = [spanEnd(history, from), spanEnd(history, to)]
  return {
    ...rest,
    ...(fromDate === undefined ? {} : { from_date: fromDate }),
    ...(toDate === undefined ? {} : { to_date: toDate }),
  }
}

/** A moment of the history or one next to it, or its date in UTC, which is a different day in India. */
function spanEnd({ lines }: History, pick: number | undefined): string | undefined {
  const line = pick === undefined ? undefined : lines[pick % Math.max(1, lines.length)]
  if (pick === undefined || line === undefined) return undefined
  const beside = new Date(line.at.getTime() + (pick % 3) - 1).toISOString()
  return pick % 2 === 0 ? beside : beside.slice(0, 10)
}

/** The whole list, from page to page by their cursors. */
async function readThrough(list: List, query: StatementQuery): Promise<Transaction[]> {
  const all: Transaction[] = []
  let cursor: string | undefined
  do {
    const next = cursor === undefined ? {} : { cursor }
    const response = await list.read({ ...query, ...next, offset: 0, limit: Math.max(query.limit ?? 20, 5) })
    all.push(...response.transactions)
    cursor = response.pagination.next_cursor
  } while (cursor !== undefined)
  return all
}
