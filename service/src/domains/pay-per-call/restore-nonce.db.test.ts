import { restoreNonce as restoreRoute, type Verification } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { responseCheck } from '../../http/body/validate.ts'
import type { AgentCaller } from '../../http/caller.ts'
import { systemClock } from '../../kernel/clock.ts'
import { creditSideOf, formatId, newUuid } from '../../kernel/ids.ts'
import type { Transfer } from '../../ledger/index.ts'
import type { TestDatabase } from '../../testing/database.ts'
import { factsDuring } from '../../testing/facts.ts'
import { queuedCommits } from '../../testing/queued-leaves.ts'
import { restoreNonce } from './restore-nonce.ts'
import { type NonceStage, openNonceStage } from './testing/nonce-stage.ts'
import { type VerificationContext, verifyPayment } from './verify-payment.ts'

const clock = systemClock()
const fits = responseCheck(restoreRoute)

let stage: NonceStage
let db: TestDatabase
let context: VerificationContext
let buyer: AgentCaller
let seller: AgentCaller
let stranger: AgentCaller
let newNonce: NonceStage['newNonce']
let paid: NonceStage['paid']

beforeAll(async () => {
  stage = await openNonceStage(clock)
  ;({ db, context, buyer, seller, stranger, newNonce, paid } = stage)
})

afterAll(() => stage.close())

const nonceOf = ({ reference }: Transfer) => reference ?? ''

function consume(payment: Transfer, consumeId?: string): Promise<Verification> {
  const name = consumeId === undefined ? {} : { consume_id: consumeId }
  const query = { nonce: nonceOf(payment), consume: true, ...name }
  return verifyPayment(context, seller, formatId('pay', payment.id), query, clock.now())
}

async function restoreAs(
  caller: AgentCaller,
  address: string,
  nonce: string,
  consumeId: string,
): Promise<boolean> {
  const body = { nonce, consume_id: consumeId }
  const response = await restoreNonce(context, caller, address, body, clock.now())
  fits(response)
  expect(response.nonce).toBe(nonce)
  return response.restored
}

const restore = (payment: Transfer, consumeId: string) =>
  restoreAs(seller, formatId('pay', payment.id), nonceOf(payment), consumeId)

const VERIFIED = { verified: true }
const USED = { verified: false, reason: 'nonce_already_used' }

describe('a restored nonce', () => {
  test('verifies again, and only once', async () => {
    const payment = await paid()
    expect(await consume(payment, 'first')).toMatchObject(VERIFIED)
    expect(await restore(payment, 'first')).toBe(true)
    expect(await consume(payment, 'second')).toMatchObject(VERIFIED)
    expect(await consume(payment, 'third')).toMatchObject(USED)
  })

  test('is restored once, and its old consume_id does not undo the next use', async () => {
    const payment = await paid()
    await consume(payment, 'first')
    expect(await restore(payment, 'first')).toBe(true)
    expect(await restore(payment, 'first')).toBe(false)
    await consume(payment, 'second')
    expect(await restore(payment, 'first')).toBe(false)
    expect(await consume(payment, 'third')).toMatchObject(USED)
  })

  test('is not consumed by a delayed verification: a consume_id that was undone stays undone', async () => {
    const payment = await paid()
    await consume(payment, 'first')
    await restore(payment, 'first')
    expect(await consume(payment, 'first')).toMatchObject(USED)
    expect(await consume(payment, 'second')).toMatchObject(VERIFIED)
    await restore(payment, 'second')
    for (const name of ['first', 'second']) expect(await consume(payment, name)).toMatchObject(USED)
    expect(await consume(payment)).toMatchObject(VERIFIED)
    expect(await consume(payment, 'third')).toMatchObject(USED)
  })

  test('is valid for another payment that has it as its reference', async () => {
    const payment = await paid()
    const other = await paid(nonceOf(payment))
    await consume(payment, 'first')
    await restore(payment, 'first')
    expect(await consume(other, 'second')).toMatchObject(VERIFIED)
    expect(await restore(payment, 'second')).toBe(false)
    expect(await consume(payment, 'third')).toMatchObject(USED)
    expect(await consume(other, 'second')).toMatchObject(VERIFIED)
  })

  test('is found under every id that verifies its payment, and in either Unicode form', async () => {
    const payment = await paid('caf\u00e9')
    const ids = [
      formatId('pay', payment.id),
      formatId('txn', payment.id),
      formatId('txn', creditSideOf(payment.id)),
    ]
    for (const id of ids) {
      await consume(payment, id)
      expect(await restoreAs(seller, id, 'cafe\u0301', id)).toBe(true)
    }
  })

  test('is recorded as its payee’s audit event', async () => {
    const payment = await paid('nonce 1')
    await consume(payment, 'sale 7')
    const leaves = (await queuedCommits(db.database)).flat().length
    const facts = await factsDuring(db.database, async () => {
      expect(await restore(payment, 'sale 8')).toBe(false)
      const responses = await Promise.all(Array.from({ length: 5 }, () => restore(payment, 'sale 7')))
      expect(responses.filter(Boolean)).toHaveLength(1)
    })
    const id = formatId('agt', seller.agentId)
    expect(facts).toEqual([
      {
        agentId: id,
        actor: { type: 'agent', id },
        action: 'nonce.restored',
        target: formatId('txn', payment.id),
        data: { nonce: 'nonce 1', consume_id: 'sale 7', from: formatId('agt', buyer.agentId) },
      },
    ])
    expect((await queuedCommits(db.database)).flat()).toHaveLength(leaves + 1)
  })
})

describe('a use of a nonce is kept', () => {
  let payment: Transfer

  beforeAll(async () => {
    payment = await paid()
    expect(await consume(payment, 'mine')).toMatchObject(VERIFIED)
  })

  async function staysUsed(restored: Promise<boolean>): Promise<void> {
    expect(await factsDuring(db.database, async () => expect(await restored).toBe(false))).toEqual([])
    expect(await consume(payment, 'another')).toMatchObject(USED)
    expect(await consume(payment, 'mine')).toMatchObject(VERIFIED)
  }

  test('and its row is not locked by a refused use, so that many callers do not wait for each other', async () => {
    expect(await consume(payment, 'another')).toMatchObject(USED)
    const locks = await db.database.query('select xmax::text from consumed_nonces where payment_id = $1', [
      payment.id,
    ])
    expect(locks).toEqual([{ xmax: '0' }])
  })

  test('when the caller is not its payee', async () => {
    for (const caller of [buyer, stranger]) {
      await staysUsed(restoreAs(caller, formatId('pay', payment.id), nonceOf(payment), 'mine'))
    }
  })

  test.each(['yours', 'Mine', 'mine ', 'null'])('when the consume_id is %j', async name => {
    await staysUsed(restore(payment, name))
  })

  test('when the request names another nonce', async () => {
    await staysUsed(restoreAs(seller, formatId('pay', payment.id), newNonce(), 'mine'))
  })

  test('when the request names another payment with the same nonce', async () => {
    await staysUsed(restore(await paid(nonceOf(payment)), 'mine'))
  })

  test.each(['pay_', 'hello', '', `pay_${'z'.repeat(26)}`, formatId('pay', newUuid(new Date()))])(
    'when the id is %j, which is no payment’s',
    async id => {
      await staysUsed(restoreAs(seller, id, nonceOf(payment), 'mine'))
    },
  )

  test('when the use has no consume_id', async () => {
    const nameless = await paid()
    expect(await consume(nameless)).toMatchObject(VERIFIED)
    for (const name of ['null', 'undefined', ' ']) expect(await restore(nameless, name)).toBe(false)
    expect(await consume(nameless)).toMatchObject(USED)
  })
})

describe('under concurrency', () => {
  test('of 64 restorations of one use exactly one succeeds', async () => {
    const payment = await paid()
    await consume(payment, 'once')
    const responses = await Promise.all(Array.from({ length: 64 }, () => restore(payment, 'once')))
    expect(responses.filter(Boolean)).toHaveLength(1)
  })

  test('a restoration and delayed verifications with the same consume_id leave the nonce unused', async () => {
    for (let round = 0; round < 10; round++) {
      const payment = await paid()
      await consume(payment, 'first')
      const late = Array.from({ length: 16 }, () => consume(payment, 'first'))
      const [restored] = await Promise.all([restore(payment, 'first'), ...late])
      expect(restored).toBe(true)
      expect(await consume(payment, 'second')).toMatchObject(VERIFIED)
    }
  })

  test('restorations and uses alternate: two uses are never granted between two restorations', async () => {
    for (let round = 0; round < 5; round++) {
      const payment = await paid()
      await consume(payment, 'first')
      const uses = Array.from({ length: 32 }, (_, index) => `next-${index}`)
      const [restored, ...responses] = await Promise.all([
        Promise.all([restore(payment, 'first'), restore(payment, 'first')]),
        ...uses.map(name => consume(payment, name)),
      ])
      expect(restored.filter(Boolean)).toHaveLength(1)
      const granted = uses.filter((_, index) => responses[index]?.verified)
      expect(granted.length).toBeLessThanOrEqual(1)

      const last = granted[0] ?? 'last'
      expect(await consume(payment, last)).toMatchObject(VERIFIED)
      expect(await consume(payment, 'too late')).toMatchObject(USED)
      const names = await Promise.all(['first', ...uses, 'last'].map(name => restore(payment, name)))
      expect(names.filter(Boolean)).toHaveLength(1)
    }
  })
})
