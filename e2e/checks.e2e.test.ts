import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTestDatabase, type ServiceDatabase, type TestDatabase } from './src/database.ts'
import { faultsInDocument } from './src/documented.ts'
import { ledgerFaults } from './src/ledger-faults.ts'
import type { Attempt, Outcome } from './src/load.ts'
import { paymentFaults } from './src/payment-faults.ts'
import type { Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { openWorld, type World } from './src/world.ts'

// The long tests are only as good as their final checks: here each check finds a fault.

let stage: Stage
let database: ServiceDatabase
let service: Service
let world: World
let window: TestDatabase

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, service } = stage)
  world = await openWorld(stage.api)
  const { api, payee, payment } = world
  const params = { payment_id: payment.payment_id ?? '' }
  await api.ok(routes.refundPayment, { params, headers: payee.headers, body: { amount: 40 } })
  window = await openTestDatabase(database.url)
})
afterAll(async () => {
  await window.close()
  await stage.close()
})

const TAMPERINGS: readonly [string, string][] = [
  [
    'a paisa more in a wallet',
    `update accounts set balance_paise = balance_paise + 1 where balance_paise > 0`,
  ],
  ['a total that is too high', `update accounts set total_spent_paise = total_spent_paise + 1`],
  ['a payment that is gone', `delete from transfers where kind = 'payment'`],
  ['a refund that is gone', `delete from transfers where kind = 'refund'`],
  ['a funding’s transfer that is gone', `delete from transfers where kind = 'fund'`],
  ['a larger payment', `update transfers set amount_paise = amount_paise + 1 where kind = 'payment'`],
  ['a fee that is missing', `update transfers set fee_paise = 0 where kind = 'payment'`],
  ['a refund beyond the payment', `update transfers set amount_paise = 10001 where kind = 'refund'`],
  [
    'a funding that is completed without money',
    `update fundings set status = 'completed' where status = 'pending'`,
  ],
  ['a gap in a history', `update transfers set debit_sequence = debit_sequence + 1 where kind = 'payment'`],
  ['a wallet below zero', `update accounts set balance_paise = -1`],
]

describe('the test’s check of the ledger', () => {
  test('finds no fault in a correct ledger', async () => {
    expect(await ledgerFaults(window.query)).toEqual([])
  })

  test.each(TAMPERINGS)('finds an edited ledger: %s', async (_name, tampering) => {
    await window.query('begin')
    await window.query(tampering)
    const faults = await ledgerFaults(window.query)
    await window.query('rollback')
    expect(faults).not.toEqual([])
  })
})

describe('the check after a crash', () => {
  const attempt = (key: string, outcome: Outcome): Attempt => ({
    key,
    from: world.payer,
    to: world.payee,
    amount: 1,
    keyIn: 'body',
    outcome,
  })
  const paid: Outcome = { kind: 'paid', paymentId: 'pay_01kb7q3f8meg5tz4x9wc2n6a01' }
  const refused: Outcome = { kind: 'refused', status: 402, code: 'insufficient_balance', paymentId: null }

  test('finds an acknowledged payment that is missing or altered', async () => {
    const { network, payer, payee } = world
    expect(await paymentFaults(world.api, window, [attempt('lost', paid)])).not.toEqual([])
    await network.pay(payer, payee, 1, { reference: 'other', idempotency_key: 'other' })
    expect(await paymentFaults(world.api, window, [attempt('other', paid)])).not.toEqual([])
  })

  test('finds a payment in the ledger although it was refused', async () => {
    const { network, payer, payee } = world
    const { payment_id } = await network.pay(payer, payee, 1, {
      reference: 'there',
      idempotency_key: 'there',
    })
    const promised: Outcome = { kind: 'unknown', promisedNothing: true }
    expect(await paymentFaults(world.api, window, [attempt('there', refused)])).not.toEqual([])
    expect(await paymentFaults(world.api, window, [attempt('there', promised)])).not.toEqual([])
    const right: Outcome = { kind: 'paid', paymentId: payment_id ?? '' }
    expect(await paymentFaults(world.api, window, [attempt('there', right)])).toEqual([])
  })

  test('accepts that a payment without a response exists or not, and repeats it', async () => {
    const unknown: Outcome = { kind: 'unknown', promisedNothing: false }
    const attempts = [attempt('there', unknown), attempt('not-yet', unknown)]
    expect(await paymentFaults(world.api, window, attempts)).toEqual([])
    const found = await world.api.ok(routes.listPayments, {
      params: { agent_id: world.payer.id },
      headers: world.payer.headers,
      query: { idempotency_key: 'not-yet' },
    })
    expect(found.payments.length).toBe(1)
  })
})

describe('the check against openapi.json', () => {
  test('finds an undocumented status and an undocumented field', async () => {
    const document: unknown = await (await fetch(`${service.address}/openapi.json`)).json()
    const [exchange] = world.api.exchanges
    if (exchange === undefined) throw new Error('the world was made by calls')
    const { route, reply } = exchange
    const teapot = { route, reply: { ...reply, status: 418 } }
    const wrongType = { route, reply: { ...reply, body: { ...Object(reply.body), platform_id: 5 } } }
    expect(faultsInDocument(document, [exchange])).toEqual([])
    expect(faultsInDocument(document, [teapot]).length).toBe(1)
    expect(faultsInDocument(document, [wrongType]).length).toBe(1)
  })
})
