import { afterAll, beforeAll, expect, test } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import {
  changeAgent,
  newAgent,
  newFundedAgent,
  order,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { createTestDatabase, type TestDatabase } from '../../testing/database.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { evaluateCommand } from './evaluate.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let db: TestDatabase
let node: TestNode
let payer: Uuid
let payee: Uuid

beforeAll(async () => {
  db = await createTestDatabase()
  node = startNode({ database: db.database, clock })
  payer = await newFundedAgent(node.ledger, db.database, clock, 100_000n, {
    require_human_approval_above_paise: 20_000n,
    spend_limit_hourly_paise: 50_000n,
    per_counterparty_daily_limit_paise: 60_000n,
  })
  payee = await newAgent(db.database, clock.now())
})

afterAll(async () => {
  await node.ledger.close()
  await db.drop()
})

const evaluate = (amount: bigint, payeeId: Uuid | null = payee) =>
  node.ledger.submit(evaluateCommand(node.agents, { payerId: payer, payeeId, amountPaise: paise(amount) }))

/** The outcome of paying, in the terms of an evaluation. */
async function paying(amount: bigint, payeeId: Uuid | null = payee): Promise<object> {
  return node.pay(order(payer, payeeId, amount)).then(
    ({ status }) => ({ decision: status === 'completed' ? 'approved' : 'approval_required', code: null }),
    ({ code, message, details = null }) => ({ decision: 'denied', code, message, details }),
  )
}

async function ledgerSize(): Promise<unknown> {
  return db.database.query(
    'select (select count(*) from transfers) as transfers, (select count(*) from approvals) as approvals',
  )
}

test('an evaluation returns the outcome of the payment, and writes nothing', async () => {
  for (const [amount, to] of [
    [10_000n, payee],
    [20_000n, payee],
    [20_001n, payee],
    [40_001n, payee],
    [1n, payer],
    [1n, null],
  ] as const) {
    const before = await ledgerSize()
    const evaluation = await evaluate(amount, to)
    expect(await ledgerSize()).toEqual(before)
    expect(evaluation).toMatchObject(await paying(amount, to))
  }
})

test('each decision has its details, amounts and fee', async () => {
  clock.advance(HOUR_MS)
  expect(await evaluate(20_001n)).toEqual({
    decision: 'approval_required',
    code: null,
    message: 'Payments above 200.00 INR wait for the owner’s approval by the agent policy',
    details: { rule: 'require_human_approval_above', layer: 'agent', approval_above: 200 },
    ...{ amount: 200.01, fee: 1, total: 201.01 },
  })
  await changeAgent(db.database, payer, { require_escrow_above_paise: 500n })
  expect(await evaluate(501n)).toMatchObject({
    ...{ decision: 'escrow_required', code: 'escrow_required', amount: 5.01, fee: 1, total: 6.01 },
  })
  await changeAgent(db.database, payer, { status: 'quarantined' })
  expect(await evaluate(501n)).toMatchObject({
    ...{
      decision: 'denied',
      code: 'policy_denied',
      message: 'Agent is quarantined',
      details: { status: 'quarantined' },
    },
  })
})
