import { afterAll, beforeAll, expect, test } from 'vitest'
import { systemClock } from '../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { hashSecret, openVault } from '../../kernel/secrets.ts'
import { checkBook, type Ledger, openAccount, openLedger, SYSTEM } from '../../ledger/index.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { openAgentRegister } from '../policies/index.ts'
import { type PaymentOrder, pay } from './pay.ts'

let db: TestDatabase
let ledger: Ledger
const clock = systemClock()
const agents = openAgentRegister()

beforeAll(async () => {
  db = await createTestDatabase()
  ledger = openLedger({
    database: db.database,
    clock,
    vault: openVault(Buffer.alloc(32, 1)),
    onError: console.error,
  })
})

afterAll(async () => {
  await ledger.close()
  await db.drop()
})

async function newAgent(funds: bigint): Promise<Uuid> {
  const now = clock.now()
  const id = newUuid(now)
  await db.database.inTransaction(async tx => {
    await tx.query(
      `insert into agents (id, platform_id, owner_id, handle, name, key_hash, key_last4, public_key, created_at)
       values ($1, $1, $1, $2, 'An agent', $3, 'abcd', '', $4)`,
      [id, id, hashSecret(id), now],
    )
    await openAccount(tx, id, now)
  })
  if (funds > 0n) {
    await ledger.submit({
      accounts: [id],
      needs: [],
      decide: book =>
        book.post({ kind: 'fund', debit: SYSTEM.gateway, credit: id, amountPaise: paise(funds) }),
    })
  }
  return id
}

function order(payerId: Uuid, payeeId: Uuid, amount: bigint, more: Partial<PaymentOrder> = {}): PaymentOrder {
  return {
    payerId,
    payeeId,
    keyHash: hashSecret(payerId),
    amountPaise: paise(amount),
    reference: null,
    note: null,
    idempotencyKey: null,
    uniqueReference: false,
    ...more,
  }
}

test('a payment moves the amount, takes the fee from the payer, and balances the book', async () => {
  const [payer, payee] = [await newAgent(100_000n), await newAgent(0n)]
  const result = await pay(
    ledger,
    agents,
    order(payer, payee, 40_000n, { idempotencyKey: 'k"\\1', note: 'a\nb' }),
  )
  expect(result).toMatchObject({ status: 'completed', from_balance: 598, cost: 2 })
  await expect(
    pay(ledger, agents, order(payer, payee, 40_000n, { idempotencyKey: 'k"\\1' })),
  ).rejects.toMatchObject({
    code: 'idempotency_error',
    details: { payment_id: result.payment_id },
  })
  expect(await checkBook(db.database)).toMatchObject({ balanced: true })
})

test('two hundred payments at once never overdraw a wallet', async () => {
  const [payer, payee] = [await newAgent(100_000n), await newAgent(0n)]
  const results = await Promise.allSettled(
    Array.from({ length: 200 }, () => pay(ledger, agents, order(payer, payee, 1_000n))),
  )
  expect(results.filter(result => result.status === 'fulfilled')).toHaveLength(90)
  expect(await checkBook(db.database)).toMatchObject({ balanced: true })
})
