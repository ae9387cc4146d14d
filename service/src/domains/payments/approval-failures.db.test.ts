import { afterAll, describe, expect } from 'vitest'
import { DAY_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { approvalOf, approve, reject, writtenOf } from '../../testing/approving.ts'
import {
  balanceOf,
  expectBalanced,
  insertAgent,
  insertFundedAgent,
  order,
  paidBy,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { db, test } from '../../testing/database-test.ts'
import { type Fault, faultyDatabase } from '../../testing/faulty-database.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { approvalExpiry } from './approvals/expire.ts'
import type { PaymentOrder } from './pay.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const ASKS = { require_human_approval_above_paise: 10_000n }
let sound: TestNode
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  sound = startNode({ database: db.database, clock })
  payer = await insertFundedAgent(sound.ledger, db.database, clock, 10_000_000n, ASKS)
  payee = await insertAgent(db.database, clock.now())
})

afterAll(async () => {
  await expectBalanced(db.database)
  await sound.ledger.close()
})

/** Runs a call on a node whose connection breaks once, at the first statement that begins with the given text. */
async function withFault<Result>(
  fault: Fault,
  at: string,
  work: (node: TestNode) => Promise<Result>,
): Promise<Result> {
  let left = 1
  const database = faultyDatabase(db.database, text => {
    if (left === 0 || !text.trimStart().startsWith(at)) return 'none'
    left--
    return fault
  })
  const node = startNode({ database, clock, committers: 1 })
  try {
    return await work(node)
  } finally {
    await node.ledger.close()
    expect(left).toBe(0)
  }
}

const ask = (node: TestNode, more: Partial<PaymentOrder> = {}) => node.pay(order(payer, payee, 20_000n, more))

async function waitingFor(wanted: Uuid): Promise<number> {
  const [row] = await db.database.query<{ count: number }>(
    `select count(*)::int4 as count from approvals where agent_id = $1 and status = 'pending_approval'`,
    [wanted],
  )
  return row?.count ?? -1
}

const AT_COMMIT: Fault[] = [
  'cut before it is sent',
  'cut while it waits',
  'cut while it runs',
  'cut after the response',
]

describe.each(AT_COMMIT)('a connection that is lost at the commit (%s)', fault => {
  test.each([{}, { idempotencyKey: `key ${fault}` }, { reference: `r ${fault}`, uniqueReference: true }])(
    'requests one approval: %o',
    async more => {
      const before = await waitingFor(payer)
      const waiting = await withFault(fault, 'commit', node => ask(node, more))
      expect(waiting.status).toBe('pending_approval')
      expect((await approvalOf(db.database, waiting)).status).toBe('pending_approval')
      expect(await waitingFor(payer)).toBe(before + 1)
    },
  )

  test('pays an approved payment once, and the record names that payment', async () => {
    const approval = await approvalOf(db.database, await ask(sound))
    const [paidBefore, hadBefore] = [await paidBy(db.database, payer), await balanceOf(db.database, payee)]
    const { approval: approved } = await withFault(fault, 'commit', node => approve(node, approval))
    expect(await writtenOf(db.database, approval)).toMatchObject(approved)
    expect(await paidBy(db.database, payer)).toBe(paidBefore + 20_000n)
    expect(await balanceOf(db.database, payee)).toBe(hadBefore + 20_000n)
    const rows = await db.database.query('select 1 from transfers where id = $1', [approved.madeId])
    expect(rows).toHaveLength(1)
  })

  test('rejects once, and the call that rejects succeeds', async () => {
    const approval = await approvalOf(db.database, await ask(sound))
    const rejected = await withFault(fault, 'commit', node => reject(node, approval))
    expect(rejected.status).toBe('rejected')
    expect(await writtenOf(db.database, approval)).toMatchObject(rejected)
  })

  test('expires what is due', async () => {
    const approval = await approvalOf(db.database, await ask(sound))
    clock.advance(DAY_MS)
    const run = (node: TestNode) => approvalExpiry({ ...node, database: db.database }).run(clock.now())
    expect(await withFault(fault, 'commit', run)).toBeGreaterThan(0)
    expect(await writtenOf(db.database, approval)).toMatchObject({ status: 'expired' })
  })
})

test.each([
  ['cut before it is sent', 'insert into transfers'],
  ['cut while it waits', 'update approvals'],
  ['cut before it is sent', 'update approvals'],
] as const)('a connection that is lost before the commit (%s %s) pays once', async (fault, at) => {
  const approval = await approvalOf(db.database, await ask(sound))
  const before = await paidBy(db.database, payer)
  await withFault(fault, at, node => approve(node, approval))
  expect(await paidBy(db.database, payer)).toBe(before + 20_000n)
  expect((await writtenOf(db.database, approval)).status).toBe('approved')
})
