import { listTransactions } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { responseCheck } from '../../../http/body/validate.ts'
import { formatId, newUuid } from '../../../kernel/ids.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { readStatement } from './read-statement.ts'
import { holdMoney, refundHold, releaseHold } from './testing/escrow-history.ts'
import type { StatementQuery } from './testing/expected-statement.ts'
import { endPayout, payOut } from './testing/payout-history.ts'
import {
  completeFunding,
  type History,
  openFunding,
  pay,
  refund,
  reverseFunding,
} from './testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  newWallet,
  openWalletNetwork,
  read,
  type Wallet,
  type WalletNetwork,
} from './testing/wallet-network.ts'

const MINUTE_MS = 60_000
const START = new Date('2026-03-31T18:20:00.000Z')

const clock = manualClock(START)
const fits = responseCheck(listTransactions)

let open: WalletNetwork
let history: History

beforeAll(async () => {
  open = await openWalletNetwork(clock)
})

afterAll(() => open.close())

beforeEach(() => {
  clock.set(START)
  history = emptyHistory(open)
})

const empty = (name: string) => newWallet(open, name)
const filled = (name: string) => newFilledWallet(open, history, name)

async function list(wallet: Wallet, query: StatementQuery = {}) {
  const response = await read(open, wallet, query)
  fits(response)
  return response
}

test('a payment is a line on both sides, and the payer’s line has the fee', async () => {
  const [payer, payee] = [await filled('Research Agent'), await empty('Translation Agent')]
  clock.advance(MINUTE_MS)
  const payment = await pay(history, payer, payee, 40_000n, {
    reference: 'invoice-2041',
    note: 'Twelve\npages',
  })
  expect((await list(payer)).transactions[0]).toEqual({
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
  const { transactions, pagination } = await list(payee)
  expect(transactions).toMatchObject([
    { type: 'pay_in', amount: 400, fee: 0, net_amount: 400, counterparty_name: 'Research Agent' },
  ])
  expect(pagination).toEqual({ total: 1, limit: 20, offset: 0 })
})

test('a funding keeps its line and its id, whatever its outcome', async () => {
  const wallet = await empty('Agent')
  const funding = await openFunding(history, wallet, 100_000n)
  const [pending] = (await list(wallet)).transactions
  expect(pending).toMatchObject({
    type: 'fund',
    amount: 1000,
    fee: 0,
    status: 'pending',
    counterparty_id: null,
  })

  clock.advance(MINUTE_MS)
  await completeFunding(history, funding, 2_500n)
  const completed = await list(wallet)
  expect(completed.transactions).toEqual([{ ...pending, fee: 25, net_amount: 975, status: 'completed' }])

  clock.advance(MINUTE_MS)
  await reverseFunding(history, funding)
  const reversed = await list(wallet)
  expect(reversed.transactions).toEqual([{ ...pending, fee: 25, net_amount: 975, status: 'reversed' }])
  expect(reversed.pagination.total).toBe(1)
})

test('a refund is a line on both sides that names the payment', async () => {
  const [payer, payee] = [await filled('Payer'), await empty('Payee')]
  const payment = await pay(history, payer, payee, 40_000n, { reference: 'r', note: 'n' })
  clock.advance(MINUTE_MS)
  await refund(history, { transfer: payment, payer, payee }, 10_000n)
  const refunded = {
    amount: 100,
    fee: 0,
    net_amount: 100,
    reference: 'r',
    note: null,
    payment_id: formatId('pay', payment.id),
  }
  expect((await list(payee)).transactions).toMatchObject([
    { type: 'pay_out', ...refunded },
    { type: 'pay_in' },
  ])
  expect((await list(payer)).transactions).toMatchObject([
    { type: 'pay_in', ...refunded },
    { type: 'pay_out' },
    { type: 'fund' },
  ])
})

const WORDS = { reference: 'order-77', note: null }

test('a hold is a pending pay_out until its release, which is the payee’s pay_in', async () => {
  const [payer, meant, payee] = [await filled('Payer'), await empty('Meant'), await empty('Payee')]
  const hold = await holdMoney(history, payer, meant, 40_000n, WORDS)
  const escrow = formatId('esc', hold.transfer.id)
  const common = { amount: 400, fee: 0, net_amount: 400, reference: 'order-77', escrow_id: escrow }
  const held = { ...common, type: 'pay_out', counterparty_name: 'Meant', status: 'pending' }
  expect((await list(payer, { status: 'pending' })).transactions).toMatchObject([held])
  expect((await list(payer, { status: 'completed' })).transactions).toMatchObject([{ type: 'fund' }])

  clock.advance(MINUTE_MS)
  await releaseHold(history, hold, payee)
  const completed = { ...held, counterparty_name: 'Payee', status: 'completed' }
  expect((await list(payer, { type: 'pay_out' })).transactions).toMatchObject([completed])
  expect((await list(payee)).transactions).toMatchObject([
    { ...common, type: 'pay_in', counterparty_name: 'Payer', status: 'completed' },
  ])
  expect((await list(meant)).transactions).toEqual([])
})

test('a hold that was refunded is one line, reversed', async () => {
  const payer = await filled('Payer')
  const hold = await holdMoney(history, payer, null, 40_000n, WORDS)
  expect((await list(payer)).transactions[0]).toMatchObject({ status: 'pending', counterparty_id: null })
  await refundHold(history, hold)
  const { transactions, pagination } = await list(payer)
  expect(transactions).toMatchObject([{ type: 'pay_out', status: 'reversed' }, { type: 'fund' }])
  expect(pagination.total).toBe(2)
})

test.each(['withdraw', 'settlement'] as const)('a %s is one line, whatever its outcome', async type => {
  const wallet = await filled('Agent')
  const [returned, failed] = [
    await payOut(history, wallet, 40_000n, type),
    await payOut(history, wallet, 100n, type),
  ]
  const common = { type, fee: 0, counterparty_type: null }
  expect((await list(wallet, { type })).transactions).toMatchObject([
    { ...common, amount: 1, net_amount: 1, status: 'pending' },
    { ...common, amount: 400, net_amount: 400, status: 'pending' },
  ])
  await endPayout(history, failed, 'failed')
  await endPayout(history, returned, 'completed')
  const utr = `UTR-${returned.id}`
  expect((await list(wallet, { type, status: 'completed' })).transactions).toMatchObject([{ utr }])
  await endPayout(history, returned, 'reversed')
  const { transactions, pagination } = await list(wallet)
  expect(transactions).toMatchObject([{ status: 'failed' }, { status: 'reversed', utr }, { type: 'fund' }])
  expect(pagination.total).toBe(3)
})

test('pages by cursor contain every line once, also while newer ones arrive', async () => {
  const [payer, payee] = [await filled('Payer'), await empty('Payee')]
  for (let index = 0; index < 7; index++)
    await pay(history, payer, payee, 100n, { reference: `${index}`, note: null })
  const first = await list(payee, { limit: 3 })
  await pay(history, payer, payee, 100n, { reference: 'late', note: null })
  const cursor = first.pagination.next_cursor ?? ''
  const second = await list(payee, { limit: 3, cursor })
  const third = await list(payee, { limit: 3, cursor: second.pagination.next_cursor ?? '' })
  const references = [first, second, third].flatMap(response =>
    response.transactions.map(({ reference }) => reference),
  )
  expect(references).toEqual(['6', '5', '4', '3', '2', '1', '0'])
  expect(third.pagination).toEqual({ total: 8, limit: 3, offset: 0 })
})

test('an offset skips the newest lines, whichever side they are on', async () => {
  const [one, two] = [await filled('One'), await filled('Two')]
  for (const reference of ['0', '1', '2', '3', '4', '5']) {
    await pay(history, one, two, 100n, { reference, note: null })
  }
  await pay(history, two, one, 100n, { reference: '6', note: null })
  const { transactions, pagination } = await list(two, { limit: 2, offset: 4 })
  expect(transactions.map(({ reference }) => reference)).toEqual(['2', '1'])
  expect(pagination).toMatchObject({ total: 8, limit: 2, offset: 4 })
  expect((await list(two, { limit: 2, offset: 1_000_000 })).transactions).toEqual([])
})

test('an agent reads its own statement only; its platform and owner read it too', async () => {
  const [mine, other] = [await empty('Mine'), await empty('Other')]
  const address = formatId('agt', mine.id)
  const { platformId, id: ownerId } = open.owner
  const stranger = newUuid(clock.now())
  for (const caller of [
    { kind: 'platform', platformId } as const,
    { kind: 'owner', ownerIds: [ownerId], sessionId: stranger } as const,
  ]) {
    expect((await readStatement(open.network, caller, address, {})).transactions).toEqual([])
  }
  for (const caller of [
    other.caller,
    { kind: 'platform', platformId: stranger } as const,
    { kind: 'owner', ownerIds: [stranger], sessionId: stranger } as const,
  ]) {
    expect((await refusalOf(readStatement(open.network, caller, address, {}))).code).toBe(
      'authorization_error',
    )
  }
  expect((await refusalOf(readStatement(open.network, mine.caller, 'agt_x', {}))).code).toBe('not_found')
})
