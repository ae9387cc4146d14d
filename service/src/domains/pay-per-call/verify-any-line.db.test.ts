import { verifyTransaction } from '@batua/contract'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import { creditSideOf, formatId, newUuid, type Uuid } from '../../kernel/ids.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { holdMoney, refundHold, releaseHold } from '../payments/statements/testing/escrow-history.ts'
import { endPayout, PAYOUT_ENDS, payOut } from '../payments/statements/testing/payout-history.ts'
import {
  allocate,
  completeFunding,
  failFunding,
  type History,
  openFunding,
  pay,
  refund,
  reverseFunding,
} from '../payments/statements/testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  newWallet,
  openWalletNetwork,
  type Wallet,
  type WalletNetwork,
} from '../payments/statements/testing/wallet-network.ts'
import { verifyPayment } from './verify-payment.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const fits = responseCheck(verifyTransaction)
const NOTHING_PAID = { verified: false, from: null, to: null, amount: null, refunded: null, created_at: null }
const WORDS = { reference: 'n', note: null }
let open: WalletNetwork
let history: History
let buyer: Wallet
let seller: Wallet
let stranger: Wallet

beforeAll(async () => {
  open = await openWalletNetwork(clock)
  history = emptyHistory(open)
  buyer = await newFilledWallet(open, history, 'Buyer')
  seller = await newFilledWallet(open, history, 'Seller')
  stranger = await newWallet(open, 'Stranger')
})

afterAll(() => open.close())

/** The results for each of the three agents and both statement lines of a movement. */
async function verified(id: Uuid) {
  const responses = []
  for (const line of [formatId('txn', id), formatId('txn', creditSideOf(id))]) {
    for (const { caller } of [buyer, seller, stranger]) {
      const response = await verifyPayment(open.network, caller, line, { nonce: 'n' }, clock.now())
      fits(response)
      responses.push(response)
    }
  }
  return responses
}

async function expectReason(id: Uuid, reason: string): Promise<void> {
  for (const response of await verified(id)) expect(response).toMatchObject({ ...NOTHING_PAID, reason })
}

test('a funding exists, whatever its outcome, and is no payment to any agent', async () => {
  const funding = await openFunding(history, seller, 1_000n)
  await expectReason(funding.id, 'transaction_not_completed')
  await completeFunding(history, funding, 25n)
  await expectReason(funding.id, 'not_payee')
  await reverseFunding(history, funding)
  await expectReason(funding.id, 'transaction_not_completed')
  const other = await openFunding(history, seller, 1_000n)
  await failFunding(history, other, null)
  await expectReason(other.id, 'transaction_not_completed')
})

test.each(['withdraw', 'settlement'] as const)('a %s exists and is no payment to any agent', async kind => {
  const payout = await payOut(history, seller, 100n, kind)
  await expectReason(payout.id, 'transaction_not_completed')
  for (const end of PAYOUT_ENDS) {
    const next = await payOut(history, seller, 100n, kind)
    if (end === 'reversed') await endPayout(history, next, 'completed')
    await endPayout(history, next, end)
    await expectReason(next.id, end === 'completed' ? 'not_payee' : 'transaction_not_completed')
  }
})

test('a refund carries the nonce of its payment, and does not verify as a second payment', async () => {
  const transfer = await pay(history, seller, buyer, 1_000n, WORDS)
  await refund(history, { transfer, payer: seller, payee: buyer }, 400n)
  const { rows } = await refundsOf(transfer.id)
  expect(rows).toHaveLength(1)
  for (const { id } of rows) await expectReason(id, 'not_payee')
})

async function refundsOf(id: Uuid) {
  const rows = await open.db.database.query<{ id: Uuid }>('select id from transfers where linked_id = $1', [
    id,
  ])
  return { rows }
}

test('an allocation exists and is no payment to any agent', async () => {
  await allocate(history, buyer, seller, 500n)
  const [row] = await open.db.database.query<{ id: Uuid }>(
    "select id from transfers where kind = 'allocation'",
    [],
  )
  await expectReason(row?.id ?? '', 'not_payee')
})

test('a hold is not completed until it is released, and its refund is no payment to any agent', async () => {
  const hold = await holdMoney(history, buyer, seller, 700n, WORDS)
  const ofHold = async () => (await verified(hold.transfer.id)).map(({ reason }) => reason)
  expect(new Set(await ofHold())).toEqual(new Set(['transaction_not_completed']))
  await refundHold(history, hold)
  expect(new Set(await ofHold())).toEqual(new Set(['transaction_not_completed']))
  for (const { id } of (await refundsOf(hold.transfer.id)).rows) await expectReason(id, 'not_payee')

  const released = await holdMoney(history, buyer, seller, 700n, WORDS)
  await releaseHold(history, released, seller)
  const responses = await verified(released.transfer.id)
  expect(responses.map(({ verified, reason = null }) => [verified, reason]).slice(0, 3)).toEqual([
    [false, 'not_payee'],
    [true, null],
    [false, 'not_payee'],
  ])
})

test('an id without a movement is not found', async () => {
  await expectReason(newUuid(clock.now()), 'transaction_not_found')
})
