import type { VerifyFailure } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { creditSideOf, formatId } from '../../kernel/ids.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { holdMoney, refundHold, releaseHold } from '../payments/statements/testing/escrow-history.ts'
import type { History, KnownHold } from '../payments/statements/testing/wallet-history.ts'
import {
  emptyHistory,
  newFilledWallet,
  newWallet,
  openWalletNetwork,
  type Wallet,
  type WalletNetwork,
} from '../payments/statements/testing/wallet-network.ts'
import { restoreNonce } from './restore-nonce.ts'
import { type VerificationQuery, verifyPayment } from './verify-payment.ts'

const START = new Date('2026-11-20T06:30:00.000Z')
const RELEASED = new Date('2026-11-20T07:30:00.000Z')
const clock = manualClock(START)
let open: WalletNetwork
let history: History
let buyer: Wallet
let seller: Wallet

beforeAll(async () => {
  open = await openWalletNetwork(clock)
})

afterAll(() => open.close())

beforeEach(async () => {
  clock.set(START)
  history = emptyHistory(open)
  buyer = await newFilledWallet(open, history, 'Buyer')
  seller = await newWallet(open, 'Seller')
})

const held = (nonce: string | null = 'n') =>
  holdMoney(history, buyer, seller, 1_250n, { reference: nonce, note: null })
const verify = (who: Wallet, id: string, query: VerificationQuery = {}) =>
  verifyPayment(open.network, who.caller, id, query, clock.now())
const lineOf = ({ transfer }: KnownHold) => formatId('txn', transfer.id)
const failed = (reason: VerifyFailure) => ({ verified: false, reason })

async function released(hold: KnownHold, payee = seller): Promise<string> {
  clock.set(RELEASED)
  const { id } = await releaseHold(history, hold, payee)
  return formatId('txn', creditSideOf(id))
}

test('a release verifies as a payment of the hold’s payer, under its own line’s id and the hold’s id', async () => {
  const hold = await held()
  const release = await released(hold)
  for (const id of [release, lineOf(hold)]) {
    const query = { nonce: 'n', expected_amount: 12.5, expected_payee: formatId('agt', seller.id) }
    expect(await verify(seller, id, query)).toEqual({
      verified: true,
      transaction_id: id,
      from: formatId('agt', buyer.id),
      to: formatId('agt', seller.id),
      amount: '12.50',
      refunded: '0.00',
      asset: 'INR',
      created_at: RELEASED.toISOString(),
    })
    expect(await verify(seller, id, { nonce: 'other' })).toMatchObject(failed('nonce_mismatch'))
    expect(await verify(seller, id, { expected_amount: 12.51 })).toMatchObject(failed('insufficient_amount'))
    expect(await verify(buyer, id)).toMatchObject(failed('not_payee'))
  }
})

test('a hold that is open or was refunded does not verify as a payment', async () => {
  const hold = await held()
  expect(await verify(seller, lineOf(hold), { nonce: 'n' })).toMatchObject({
    ...failed('transaction_not_completed'),
    to: formatId('agt', seller.id),
  })
  await refundHold(history, hold)
  expect(await verify(seller, lineOf(hold))).toMatchObject(failed('transaction_not_completed'))
})

test('an agent that the hold names and that did not receive the money is not its payee', async () => {
  const other = await newWallet(open, 'Other')
  const release = await released(await held(), other)
  expect(await verify(seller, release)).toMatchObject({ ...failed('not_payee'), from: null, to: null })
  expect(await verify(other, release)).toMatchObject({ verified: true })
})

test('a nonce is consumed once, whichever id names the release', async () => {
  const hold = await held()
  const release = await released(hold)
  const consume = { nonce: 'n', consume: true, consume_id: 'use-1' }
  expect(await verify(seller, release, consume)).toMatchObject({ verified: true })
  expect(await verify(seller, lineOf(hold), consume)).toMatchObject({ verified: true })
  expect(await verify(seller, lineOf(hold), { ...consume, consume_id: 'use-2' })).toMatchObject(
    failed('nonce_already_used'),
  )
})

test('a nonce is restored under any id that names the release', async () => {
  const hold = await held()
  const release = await released(hold)
  for (const id of [release, lineOf(hold)]) {
    const use = { nonce: 'n', consume_id: `use of ${id}` }
    expect(await verify(seller, lineOf(hold), { ...use, consume: true })).toMatchObject({ verified: true })
    const restored = restoreNonce(open.network, seller.caller, id, use, clock.now())
    expect(await restored).toEqual({ nonce: 'n', restored: true })
  }
})

test('an escrow has no payment id', async () => {
  const hold = await held()
  const { id } = await releaseHold(history, hold, seller)
  for (const uuid of [id, hold.transfer.id]) {
    expect(await verify(seller, formatId('pay', uuid))).toMatchObject(failed('transaction_not_found'))
  }
})

test.each(['escrow_hold', 'escrow_release'])(
  'an %s that was changed in the database never verifies',
  async kind => {
    const hold = await held()
    const release = await released(hold)
    const change =
      'update transfers set amount_paise = amount_paise + 1 where kind = $1 and (id = $2 or linked_id = $2)'
    await open.db.database.query(change, [kind, hold.transfer.id])
    await expect(verify(seller, release)).rejects.toThrow('assertion failed')
  },
)
