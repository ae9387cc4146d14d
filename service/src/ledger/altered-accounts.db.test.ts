import { afterAll, beforeEach, describe, expect } from 'vitest'
import { AlteredRow } from '../db/row-mac.ts'
import { systemClock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { openVault } from '../kernel/secrets.ts'
import {
  balanceOf,
  expectBalanced,
  fund,
  insertAgent,
  insertFundedAgent,
  order,
  post,
  startNode,
  type TestNode,
} from '../testing/builders.ts'
import { database, test } from '../testing/database-test.ts'
import { recordingDatabase, type Sent } from '../testing/recording-database.ts'
import { SYSTEM } from './accounts.ts'

const clock = systemClock()
let node: TestNode
let reported: [table: string, id: string][] = []
let [wallet, neighbour, payee]: [Uuid, Uuid, Uuid] = ['', '', '']

const vault = openVault(Buffer.alloc(32, 7), (table, id) => reported.push([table, id]))
const start = (more = {}) => startNode({ database, clock, vault, ...more })

beforeEach(async () => {
  node = start()
  reported = []
  wallet = await insertFundedAgent(node.ledger, database, clock, 10_000n)
  neighbour = await insertFundedAgent(node.ledger, database, clock, 10_000n)
  payee = await insertFundedAgent(node.ledger, database, clock, 10_000n)
  return () => node.ledger.close()
})

afterAll(async () => {
  await expectBalanced(database)
})

const COLUMNS = 'balance_paise, sequence, last_posted_ms'

async function change(id: Uuid, assignments: string): Promise<() => Promise<unknown>> {
  const [row] = await database.query<Record<string, bigint>>(
    `select ${COLUMNS} from accounts where id = $1`,
    [id],
  )
  await database.query(`update accounts set ${assignments} where id = $1`, [id])
  return () =>
    database.query(`update accounts set (${COLUMNS}) = row ($2::int8, $3::int8, $4::int8) where id = $1`, [
      id,
      row?.['balance_paise'],
      row?.['sequence'],
      row?.['last_posted_ms'],
    ])
}

const ways: Record<string, () => Promise<unknown>> = {
  'a payment': () => node.pay(order(wallet, payee, 10n)),
  'a payment to it': () => node.pay(order(payee, wallet, 10n)),
  'incoming money': () => fund(node.ledger, wallet, 10n),
  'a payout': () =>
    post(node.ledger, [wallet], {
      kind: 'payout',
      debit: wallet,
      credit: SYSTEM.payouts,
      amountPaise: paise(10n),
    }),
  'a hold': () =>
    post(node.ledger, [wallet], {
      ...{
        kind: 'escrow_hold',
        debit: wallet,
        credit: SYSTEM.escrow,
        amountPaise: paise(10n),
        linkedId: payee,
      },
    }),
  'an allocation': () =>
    post(node.ledger, [wallet, payee], {
      ...{ kind: 'allocation', debit: wallet, credit: payee, amountPaise: paise(10n) },
    }),
}

describe.each([
  ['this process knows', () => undefined],
  [
    'this process does not know',
    async () => {
      await node.ledger.close()
      node = start()
    },
  ],
])('a balance raised by hand in a wallet that %s', (_which, forget) => {
  test.each(Object.keys(ways))('refuses %s, and nothing else of the batch', async way => {
    await forget()
    const restore = await change(wallet, 'balance_paise = balance_paise + 1')
    const [refused, ...others] = await Promise.allSettled([
      ways[way]?.(),
      ...Array.from({ length: 3 }, () => fund(node.ledger, neighbour, 1n)),
    ])
    expect(refused).toMatchObject({ status: 'rejected', reason: expect.any(AlteredRow) })
    expect(others.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'fulfilled'])
    expect(reported).toEqual([['accounts', wallet]])
    expect(await balanceOf(database, wallet)).toBe(10_001n)
    await restore()
    if (way !== 'a hold' && way !== 'a payout') await ways[way]?.()
    expect(reported).toHaveLength(1)
  })
})

test.each([
  ['a balance that was lowered', 'balance_paise = balance_paise - 1'],
  ['a place in the history that is not there', 'sequence = sequence + 1'],
  ['an emptied wallet', 'sequence = 0, balance_paise = 0'],
  ['another moment', 'last_posted_ms = last_posted_ms + 1'],
  ['a moment that cannot be', 'last_posted_ms = 9223372036854775807'],
  ['an early moment', 'last_posted_ms = -1'],
])(
  '%s is refused by a process that knows the wallet and by one that does not',
  async (_what, assignments) => {
    const restore = await change(wallet, assignments)
    const other = start()
    for (const each of [node, other]) {
      await expect(each.pay(order(wallet, payee, 1n))).rejects.toThrow(AlteredRow)
    }
    await restore()
    for (const each of [node, other]) await each.pay(order(wallet, payee, 1n))
    await other.ledger.close()
  },
)

test('an old account row that is put back is refused while newer transfers exist', async () => {
  const putBack = await change(wallet, 'balance_paise = balance_paise')
  await node.pay(order(wallet, payee, 50n))
  const restore = await change(wallet, 'balance_paise = balance_paise')
  await putBack()
  const other = start()
  for (const each of [node, other]) {
    await expect(each.pay(order(wallet, payee, 1n))).rejects.toThrow(AlteredRow)
  }
  await restore()
  for (const each of [node, other]) await each.pay(order(wallet, payee, 1n))
  await other.ledger.close()
})

test('an old account row is refused by a process that knows the newer one, even when the newer transfers were deleted', async () => {
  const id = await insertFundedAgent(node.ledger, database, clock, 10_000n)
  const putBack = await change(id, 'balance_paise = balance_paise')
  await node.pay(order(id, payee, 50n))
  const columns = `debit_account, id, credit_account, kind, amount_paise, fee_paise, debit_balance_paise, credit_balance_paise,
    debit_sequence, credit_sequence, posted_at, seal`
  await database.query(
    `create table kept as select ${columns} from transfers where debit_account = $1`.replace('$1', `'${id}'`),
  )
  const restore = await change(id, 'balance_paise = balance_paise')
  await database.query(`delete from transfers where debit_account = $1`, [id])
  await putBack()
  await expect(node.pay(order(id, payee, 1n))).rejects.toThrow(AlteredRow)
  await database.query(`insert into transfers (${columns}) select ${columns} from kept`)
  await restore()
  await node.pay(order(id, payee, 1n))
})

test('a transfer without a valid MAC does not prove a balance', async () => {
  const restore = await change(wallet, 'balance_paise = balance_paise + 1')
  await database.query(
    'update transfers set credit_balance_paise = credit_balance_paise + 1 where credit_account = $1',
    [wallet],
  )
  const other = start()
  await expect(other.pay(order(wallet, payee, 1n))).rejects.toThrow(AlteredRow)
  await restore()
  await database.query(
    'update transfers set credit_balance_paise = credit_balance_paise - 1 where credit_account = $1',
    [wallet],
  )
  await other.pay(order(wallet, payee, 1n))
  await other.ledger.close()
})

test('the last transfer of a wallet proves its balance, whichever kind it is, on two nodes that take turns', async () => {
  const other = start()
  const id = await insertAgent(database, clock.now())
  const fresh = await insertAgent(database, clock.now())
  for (const [at, { ledger }] of [node, other, node, other].entries()) {
    const move = { debit: id, amountPaise: paise(10n) }
    await fund(ledger, id, 1_000n)
    await post(ledger, [id, fresh], { kind: 'payment', credit: fresh, ...move })
    await post(ledger, [id], { kind: 'escrow_hold', credit: SYSTEM.escrow, linkedId: fresh, ...move })
    const { ledger: next } = at % 2 === 0 ? other : node
    await post(next, [id], {
      kind: 'chargeback',
      debit: id,
      credit: SYSTEM.gateway,
      amountPaise: paise(5_000n),
    })
    await post(ledger, [id], {
      kind: 'escrow_refund',
      debit: SYSTEM.escrow,
      credit: id,
      amountPaise: paise(10n),
      undoes: { postedMs: 0, amountPaise: paise(10n), isWhole: true },
    })
    await fund(next, id, 5_000n)
  }
  expect(reported).toEqual([])
  await other.ledger.close()
})

test('a wallet that this process knows is proven without a statement, and one that another node changed with one statement', async () => {
  const sent: string[] = []
  const notes = { set: (text: string, _sent: Sent) => sent.push(text) }
  const watched = start({ database: recordingDatabase(database, notes) })
  const proofs = () =>
    sent.splice(0).filter(text => text.includes('cross join lateral (\n    (select')).length
  await watched.pay(order(wallet, payee, 1n))
  expect(proofs()).toBe(1)
  await watched.pay(order(wallet, payee, 1n))
  expect(proofs()).toBe(0)
  await node.pay(order(wallet, payee, 1n))
  await watched.pay(order(wallet, payee, 1n))
  expect(proofs()).toBe(1)
  await watched.ledger.close()
})
