import { type Verification, verifyTransaction } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { responseCheck } from '../../http/body/validate.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { systemClock } from '../../kernel/clock.ts'
import { creditSideOf, formatId, newUuid } from '../../kernel/ids.ts'
import type { Ledger, Transfer } from '../../ledger/index.ts'
import { fund } from '../../testing/builders.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { postPayment, postRefund } from '../../testing/model/wallets.ts'
import { type NonceStage, openNonceStage } from './testing/nonce-stage.ts'
import { type VerificationContext, type VerificationQuery, verifyPayment } from './verify-payment.ts'

const clock = systemClock()
const fits = responseCheck(verifyTransaction)

let stage: NonceStage
let db: TestDatabase
let ledger: Ledger
let context: VerificationContext
let buyer: AgentCaller
let seller: AgentCaller
let stranger: AgentCaller
let paid: NonceStage['paid']

beforeAll(async () => {
  stage = await openNonceStage(clock)
  ;({ db, ledger, context, buyer, seller, stranger, paid } = stage)
})

afterAll(() => stage.close())

async function verifyAs(
  caller: AgentCaller,
  id: string,
  query: VerificationQuery = {},
): Promise<Verification> {
  const response = await verifyPayment(context, caller, id, query, clock.now())
  fits(response)
  return response
}

const verify = ({ id }: Transfer, query: VerificationQuery = {}) =>
  verifyAs(seller, formatId('pay', id), query)
const consume = (payment: Transfer, more: VerificationQuery = {}) =>
  verify(payment, { nonce: payment.reference ?? '', consume: true, ...more })

const VERIFIED = { verified: true }
const failed = (reason: Verification['reason']) => ({ verified: false, reason })

describe('a payment', () => {
  test('verifies under its own id and the id of either side’s line, and the response describes it', async () => {
    const payment = await paid()
    const ids = [
      formatId('pay', payment.id),
      formatId('txn', payment.id),
      formatId('txn', creditSideOf(payment.id)),
    ]
    for (const id of ids) {
      expect(await verifyAs(seller, id)).toEqual({
        verified: true,
        transaction_id: id,
        from: formatId('agt', buyer.agentId),
        to: formatId('agt', seller.agentId),
        amount: '12.50',
        refunded: '0.00',
        asset: 'INR',
        created_at: payment.postedAt.toISOString(),
      })
    }
  })

  test.each([12.5, 12.49, 0, undefined])('is enough when %s is expected', async amount => {
    const query = amount === undefined ? {} : { expected_amount: amount }
    expect(await verify(await paid(), query)).toMatchObject(VERIFIED)
  })

  test('is not enough when one paisa is missing', async () => {
    expect(await verify(await paid(), { expected_amount: 12.51 })).toMatchObject(
      failed('insufficient_amount'),
    )
  })

  test.each(['seller', '@Seller', 'SELLER'])('was paid to the payee that is called %s', async payee => {
    expect(await verify(await paid(), { expected_payee: payee })).toMatchObject(VERIFIED)
  })

  test('verifies for the payee of that id, and for no other', async () => {
    const payment = await paid()
    const payee = (id: string) => verify(payment, { expected_payee: id })
    expect(await payee(formatId('agt', seller.agentId))).toMatchObject(VERIFIED)
    for (const other of [formatId('agt', buyer.agentId), 'stranger', 'nobody-at-all', '@', 'agt_x', ' ']) {
      expect(await payee(other)).toMatchObject(failed('payee_mismatch'))
    }
  })

  test.each(['buyer', '@Buyer'])('was paid by the payer that is called %s', async payer => {
    expect(await verify(await paid(), { expected_payer: payer })).toMatchObject(VERIFIED)
  })

  test('verifies for the payer of that id, and for no other', async () => {
    const payment = await paid()
    const payer = (id: string) => verify(payment, { expected_payer: id })
    expect(await payer(formatId('agt', buyer.agentId))).toMatchObject(VERIFIED)
    for (const other of [formatId('agt', seller.agentId), 'stranger', 'nobody-at-all', '@', 'agt_x', ' ']) {
      expect(await payer(other)).toMatchObject(failed('payer_mismatch'))
    }
  })

  test('verifies only when its reference is exactly the nonce', async () => {
    const payment = await paid('caf\u00e9')
    expect(await verify(payment, { nonce: 'cafe\u0301' })).toMatchObject(VERIFIED)
    for (const nonce of ['Caf\u00e9', 'cafe', 'caf\u00e9 ']) {
      expect(await verify(payment, { nonce })).toMatchObject(failed('nonce_mismatch'))
    }
    expect(await verify(await paid(null), { nonce: 'null' })).toMatchObject(failed('nonce_mismatch'))
  })
})

describe('reasons', () => {
  test('come in the order of the interface', async () => {
    const payment = await paid()
    const wrong = {
      expected_payee: 'stranger',
      expected_payer: 'stranger',
      expected_amount: 13,
      nonce: 'other',
    }
    const unknown = formatId('pay', newUuid(clock.now()))
    expect(await verifyAs(stranger, unknown, wrong)).toMatchObject(failed('transaction_not_found'))
    expect(await verifyAs(stranger, formatId('pay', payment.id), wrong)).toMatchObject(failed('not_payee'))
    expect(await verify(payment, wrong)).toMatchObject(failed('payee_mismatch'))
    expect(await verify(payment, { ...wrong, expected_payee: 'seller' })).toMatchObject(
      failed('payer_mismatch'),
    )
    const rightSides = { expected_payee: 'seller', expected_payer: 'buyer' }
    expect(await verify(payment, { ...wrong, ...rightSides })).toMatchObject(failed('insufficient_amount'))
    expect(await verify(payment, { nonce: 'other' })).toMatchObject(failed('nonce_mismatch'))
    await postRefund(ledger, payment, 1_250n)
    expect(await verifyAs(stranger, formatId('pay', payment.id), wrong)).toMatchObject(
      failed('transaction_not_completed'),
    )
  })

  test('reveal to a stranger nothing of the payment, and to its payer only what it already knows', async () => {
    const id = formatId('pay', (await paid()).id)
    const hidden = { from: null, to: null, amount: null, created_at: null }
    expect(await verifyAs(stranger, id)).toMatchObject({ ...failed('not_payee'), ...hidden })
    expect(await verifyAs(buyer, id)).toMatchObject({ ...failed('not_payee'), amount: '12.50' })
  })

  test.each(['pay_', 'txn_%00', 'hello', '', formatId('rcp', newUuid(new Date())), `pay_${'z'.repeat(26)}`])(
    '%j, which is no transaction id, is not found',
    async id => {
      expect(await verifyAs(seller, id)).toMatchObject(failed('transaction_not_found'))
    },
  )

  test('a funding or a refund exists and is no payment to any agent, whichever agent calls', async () => {
    const funding = await fund(ledger, seller.agentId, 100n)
    const refund = await postRefund(ledger, await paid(), 50n)
    const ids = [funding.id, refund.id].flatMap(id => [
      formatId('txn', id),
      formatId('txn', creditSideOf(id)),
    ])
    for (const id of ids) {
      for (const caller of [seller, buyer, stranger]) {
        const nobody = { from: null, to: null, amount: null, refunded: null, created_at: null }
        expect(await verifyAs(caller, id, { nonce: 'n' })).toMatchObject({
          ...failed('not_payee'),
          ...nobody,
        })
      }
    }
    // A refund is not a payment, so it has no payment id.
    expect(await verifyAs(buyer, formatId('pay', refund.id))).toMatchObject(failed('transaction_not_found'))
  })
})

describe('refunds', () => {
  test('reduce the amount that is compared: nothing is left of a payment that was refunded in full', async () => {
    const payment = await paid()
    await postRefund(ledger, payment, 1_000n)
    const amounts = { amount: '12.50', refunded: '10.00' }
    expect(await verify(payment, { expected_amount: 2.5 })).toMatchObject({ ...VERIFIED, ...amounts })
    expect(await verify(payment)).toMatchObject({ ...VERIFIED, ...amounts })
    for (const query of [{ expected_amount: 2.51 }, { expected_amount: 12.5 }]) {
      expect(await verify(payment, query)).toMatchObject({ ...failed('insufficient_amount'), ...amounts })
    }
    expect(await consume(payment, { expected_amount: 2.51 })).toMatchObject(failed('insufficient_amount'))
    await postRefund(ledger, payment, 250n)
    expect(await verify(payment)).toMatchObject(failed('transaction_not_completed'))
    expect(await consume(payment)).toMatchObject(failed('transaction_not_completed'))
  })

  test('do not change the response to a use that was granted before', async () => {
    const payment = await paid()
    const first = { consume_id: 'request-1', expected_amount: 12.5 }
    expect(await consume(payment, first)).toMatchObject(VERIFIED)
    await postRefund(ledger, payment, 50n)
    expect(await consume(payment, first)).toMatchObject({ ...VERIFIED, refunded: '0.50' })
    await postRefund(ledger, payment, 1_200n)
    expect(await consume(payment, first)).toMatchObject(VERIFIED)
    expect(await consume(payment, { consume_id: 'request-2' })).toMatchObject(
      failed('transaction_not_completed'),
    )
  })
})

describe('consuming', () => {
  test('a nonce verifies once', async () => {
    const payment = await paid()
    expect(await consume(payment)).toMatchObject(VERIFIED)
    expect(await consume(payment)).toMatchObject({ ...failed('nonce_already_used'), amount: '12.50' })
    expect(await verify(payment, { nonce: payment.reference ?? '' })).toMatchObject(VERIFIED)
  })

  test('a nonce verifies once even when two payments carry it', async () => {
    const [first, second] = [await paid('twice'), await paid('twice')]
    expect(await consume(first, { consume_id: 'same' })).toMatchObject(VERIFIED)
    expect(await consume(second, { consume_id: 'same' })).toMatchObject(failed('nonce_already_used'))
  })

  test('a nonce belongs to one payee', async () => {
    await fund(ledger, seller.agentId, 10_000n)
    const [toSeller, toBuyer] = [
      await paid('shared'),
      await postPayment(ledger, seller.agentId, buyer.agentId, 100n, { reference: 'shared' }),
    ]
    expect(await consume(toSeller)).toMatchObject(VERIFIED)
    const asBuyer = verifyAs(buyer, formatId('pay', toBuyer.id), { nonce: 'shared', consume: true })
    expect(await asBuyer).toMatchObject(VERIFIED)
  })

  test('a nonce is consumed only when the payment verifies', async () => {
    const payment = await paid()
    expect(await consume(payment, { expected_amount: 99 })).toMatchObject(failed('insufficient_amount'))
    const asStranger = verifyAs(stranger, formatId('pay', payment.id), {
      nonce: payment.reference ?? '',
      consume: true,
    })
    expect(await asStranger).toMatchObject(failed('not_payee'))
    expect(await consume(payment)).toMatchObject(VERIFIED)
  })

  test('the same consume_id gets the first response again, another consume_id does not', async () => {
    const payment = await paid()
    expect(await consume(payment, { consume_id: 'a' })).toMatchObject(VERIFIED)
    expect(await consume(payment, { consume_id: 'b' })).toMatchObject(failed('nonce_already_used'))
    expect(await consume(payment, { consume_id: 'a' })).toMatchObject(VERIFIED)
    expect(await consume(payment)).toMatchObject(failed('nonce_already_used'))
  })

  test('a first use is granted without a query for an earlier one', async () => {
    let queries = 0
    const query: Database['query'] = (text, values, options) => {
      queries++
      return db.database.query(text, values, options)
    }
    const { gathered: _, ...database } = db.database
    const watched = { ...context, database: { ...database, query } }
    const payment = await paid()
    const use = { nonce: payment.reference ?? '', consume: true, consume_id: 'first' }
    const verifyWatched = () => verifyPayment(watched, seller, formatId('pay', payment.id), use, clock.now())
    expect(await verifyWatched()).toMatchObject(VERIFIED)
    // The payment, and the amount that was refunded of it.
    expect(queries).toBe(2)
    expect(await verifyWatched()).toMatchObject(VERIFIED)
    // The same, and the earlier use.
    expect(queries).toBe(2 + 3)
  })

  test('of uses on two nodes at the same moment, in opposite orders, each nonce is consumed once', async () => {
    const other = openDatabase(db.url)
    const nodes: VerificationContext[] = [context, { ...context, database: other }]
    try {
      const payments = await Promise.all(Array.from({ length: 40 }, () => paid()))
      const uses = nodes.flatMap((node, index) =>
        (index === 0 ? payments : payments.toReversed()).flatMap(payment =>
          ['first', 'second'].map(async attempt => {
            const query = { nonce: payment.reference ?? '', consume: true, consume_id: `${index} ${attempt}` }
            const line = formatId('pay', payment.id)
            const { verified } = await verifyPayment(node, seller, line, query, clock.now())
            return verified ? payment.id : null
          }),
        ),
      )
      const consumed = (await Promise.all(uses)).filter(id => id !== null)
      expect(consumed.toSorted()).toEqual(payments.map(({ id }) => id).toSorted())
      const [row] = await db.database.query<{ entries: number }>(
        `select count(*)::int4 as entries from audit_entries where action = 'nonce.consumed' and target = any($1::text[])`,
        [payments.map(({ id }) => formatId('txn', id))],
      )
      expect(row?.entries).toBe(payments.length)
    } finally {
      await other.close()
    }
  })

  test('of 64 concurrent calls exactly one verifies', async () => {
    for (let round = 0; round < 5; round++) {
      const payment = await paid()
      const responses = await Promise.all(
        Array.from({ length: 64 }, (_, index) =>
          consume(payment, index % 2 ? { consume_id: `try-${index}` } : {}),
        ),
      )
      expect(responses.filter(({ verified }) => verified)).toHaveLength(1)
      expect(responses.filter(({ reason }) => reason === 'nonce_already_used')).toHaveLength(63)
    }
  })

  test('64 concurrent calls with one consume_id all get the first response, and one nonce is consumed', async () => {
    const payment = await paid()
    const responses = await Promise.all(
      Array.from({ length: 64 }, () => consume(payment, { consume_id: 'once' })),
    )
    expect(responses.every(({ verified }) => verified)).toBe(true)
    expect(
      await db.database.query('select payment_id, consume_id from consumed_nonces where nonce = $1', [
        payment.reference,
      ]),
    ).toEqual([{ payment_id: payment.id, consume_id: 'once' }])
  })

  test.each([
    [{ consume: true }, 'nonce'],
    [{ consume_id: 'a', nonce: 'b' }, 'consume_id'],
    [{ consume: false, consume_id: 'a' }, 'consume_id'],
  ])('%j is refused rather than half done', async (query, field) => {
    const refused = await refusalOf(verify(await paid(), query))
    expect({ code: refused.code, field: refused.field }).toEqual({ code: 'validation_error', field })
  })
})

test('a payment that was inserted or changed directly in the database never verifies', async () => {
  const payment = await paid()
  await db.database.query('update transfers set amount_paise = amount_paise * 1000 where id = $1', [
    payment.id,
  ])
  await expect(verify(payment)).rejects.toThrow('assertion failed')
})
