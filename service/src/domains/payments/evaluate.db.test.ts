import { expect } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { changeAgent, order } from '../../testing/builders.ts'
import { clock, database, newFundedAgent, newUnfundedAgent, node, test } from '../../testing/ledger-test.ts'
import { evaluateCommand } from './evaluate.ts'

let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  payer = await newFundedAgent(100_000n, {
    require_human_approval_above_paise: 20_000n,
    spend_limit_hourly_paise: 50_000n,
    per_counterparty_daily_limit_paise: 60_000n,
  })
  payee = await newUnfundedAgent()
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
  return database.query(
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
  await changeAgent(database, payer, { require_escrow_above_paise: 500n })
  expect(await evaluate(501n)).toMatchObject({
    ...{ decision: 'escrow_required', code: 'escrow_required', amount: 5.01, fee: 1, total: 6.01 },
  })
  await changeAgent(database, payer, { status: 'quarantined' })
  expect(await evaluate(501n)).toMatchObject({
    ...{
      decision: 'denied',
      code: 'policy_denied',
      message: 'Agent is quarantined',
      details: { status: 'quarantined' },
    },
  })
})
