import { getPayment, listPayments } from '@batua/contract'
import { afterAll, beforeEach, expect } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { order, refundOrder } from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { type MoneyServer, openMoneyServer } from '../../testing/money-server.ts'
import { lookUpPayment, lookUpPayments } from './look-up.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const [fitsOne, fitsList] = [responseCheck(getPayment), responseCheck(listPayments)]
let server: MoneyServer
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  server = await openMoneyServer(db, clock)
})
beforeEach(async () => {
  payer = await server.agent({ require_human_approval_above_paise: 20_000n })
  payee = await server.agent()
})
afterAll(async () => {
  await server.close()
})

async function pay(amount: bigint): Promise<string> {
  clock.advance(1)
  return String((await server.node.pay(order(payer, payee, amount))).payment_id)
}

async function refund(paymentId: string, amount: bigint | null): Promise<void> {
  await server.node.refund(await refundOrder(database, paymentId, amount))
}

function caller(): AgentCaller {
  const ids = { agentId: payer, platformId: payer, ownerId: payer }
  return { kind: 'agent', ...ids, keyHash: hashSecret(payer) }
}

async function refundedOf(paymentId: string): Promise<number> {
  const found = await lookUpPayment(database, caller(), formatId('agt', payer), paymentId)
  fitsOne(found)
  expect(found.payment_id).toBe(paymentId)
  return found.refunded_total
}

async function listed(query: { limit?: number; offset?: number } = {}) {
  const found = await lookUpPayments(database, caller(), formatId('agt', payer), query, clock.now())
  fitsList(found)
  return found.payments.map(({ payment_id, refunded_total }) => [payment_id, refunded_total])
}

test('a payment shows its refunded amount: nothing, a part, all', async () => {
  const payment = await pay(10_000n)
  expect(await refundedOf(payment)).toBe(0)
  await refund(payment, 1_001n)
  expect(await refundedOf(payment)).toBe(10.01)
  await refund(payment, 2_000n)
  expect(await refundedOf(payment)).toBe(30.01)
  await refund(payment, null)
  expect(await refundedOf(payment)).toBe(100)
})

test('each payment of a list shows its own refunded amount, on whichever page; one that waits shows zero', async () => {
  const [whole, untouched, part] = [await pay(1_000n), await pay(2_000n), await pay(3_000n)]
  clock.advance(1)
  expect(await server.node.pay(order(payer, payee, 20_001n))).toMatchObject({ status: 'pending_approval' })
  await refund(whole, null)
  await refund(part, 1n)
  await refund(part, 2n)
  const newestFirst = [
    [null, 0],
    [part, 0.03],
    [untouched, 0],
    [whole, 10],
  ]
  expect(await listed()).toEqual(newestFirst)
  for (const [offset, row] of newestFirst.entries()) expect(await listed({ limit: 1, offset })).toEqual([row])
})
