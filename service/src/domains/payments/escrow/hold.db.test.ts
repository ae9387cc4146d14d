import { afterAll, beforeEach, describe, expect } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { balanceOf, changeAgent, order } from '../../../testing/builders.ts'
import {
  attestOn,
  escrowOf,
  eventsTo,
  held,
  holdOn,
  intent,
  refundOn,
  releaseOn,
  waiting,
} from '../../../testing/escrows.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import {
  clock,
  database,
  newFundedAgent,
  newUnfundedAgent,
  node,
  test,
} from '../../../testing/ledger-test.ts'
import type { HoldIntent } from './escrow.ts'
import { sumHeld } from './store.ts'

let payer: Uuid
let payee: Uuid
let attestor: Uuid

beforeEach(async () => {
  payer = await newFundedAgent(100_000n)
  payee = await newUnfundedAgent()
  attestor = await newUnfundedAgent()
})

afterAll(async () => {
  const { held: heldPaise, inLedger } = await waiting(database)
  expect([inLedger, await sumHeld(database)]).toEqual([heldPaise, heldPaise])
})

const holdNow = (amount: bigint, more: Partial<HoldIntent> = {}) => holdOn(node, intent(payer, amount, more))
const heldNow = (amount: bigint, more: Partial<HoldIntent> = {}) =>
  held(database, node, intent(payer, amount, more))

async function totals(id: Uuid): Promise<{ balance: bigint; funded: bigint; spent: bigint }> {
  const [row] = await database.query<{ balance: bigint; funded: bigint; spent: bigint }>(
    `select balance_paise as balance, total_funded_paise as funded, total_spent_paise as spent
     from accounts where id = $1`,
    [id],
  )
  return row ?? { balance: -1n, funded: -1n, spent: -1n }
}

describe('a hold', () => {
  test('debits the payer at once, without a fee, and returns its record', async () => {
    const response = await holdNow(40_000n, {
      ...{ toAgentId: payee, reference: 'order-77' },
      ...{ timeoutMs: 24 * HOUR_MS, autoAction: 'release' },
    })
    const id = (await escrowOf(database, response)).id
    expect(response).toEqual({
      escrow_id: formatId('esc', id),
      agent_id: formatId('agt', payer),
      to_agent_id: formatId('agt', payee),
      attestor_agent_id: null,
      amount: 400,
      reference: 'order-77',
      status: 'held',
      auto_action: 'release',
      expires_at: new Date(clock.now().getTime() + DAY_MS).toISOString(),
      created_at: clock.now().toISOString(),
      resolved_at: null,
      transaction_id: formatId('txn', id),
      policy_version: expect.any(String),
    })
    expect(await balanceOf(database, payer)).toBe(60_000n)
    expect(await eventsTo(database, payer)).toEqual([
      {
        name: 'agent.escrow.held',
        data: {
          ...{ agent_id: response.agent_id, escrow_id: response.escrow_id, from: response.agent_id },
          ...{ to: response.to_agent_id, amount: 400, reference: 'order-77' },
        },
      },
    ])
  })

  test('that names no recipient is meant for the attestor, and without an attestor for no agent yet', async () => {
    expect(await holdNow(100n, { attestorId: attestor })).toMatchObject({
      to_agent_id: formatId('agt', attestor),
      attestor_agent_id: formatId('agt', attestor),
    })
    expect(await holdNow(100n)).toMatchObject({ to_agent_id: null, attestor_agent_id: null })
  })

  test('counts as spent only once it is released, and never when it is refunded', async () => {
    const [first, second] = [await heldNow(30_000n), await heldNow(20_000n)]
    expect(await totals(payer)).toEqual({ balance: 50_000n, funded: 100_000n, spent: 0n })
    await releaseOn(node, first, payee)
    await refundOn(node, second)
    expect(await totals(payer)).toEqual({ balance: 70_000n, funded: 100_000n, spent: 30_000n })
    expect(await totals(payee)).toEqual({ balance: 30_000n, funded: 30_000n, spent: 0n })
  })

  test('needs the balance, an active payer, and other agents that can receive', async () => {
    const other = { toAgentId: payee }
    expect(await refusalOf(holdNow(100_001n, other))).toMatchObject({
      code: 'insufficient_balance',
      details: { balance: 1_000, required: 1_000.01, amount: 1_000.01, fee: 0 },
    })
    for (const named of [{ toAgentId: payer }, { attestorId: payer }]) {
      const field = 'toAgentId' in named ? 'to_agent_id' : 'attestor_agent_id'
      expect(await refusalOf(holdNow(100n, named))).toMatchObject({ code: 'validation_error', field })
    }
    await changeAgent(database, attestor, { status: 'paused' })
    expect(await refusalOf(holdNow(100n, { ...other, attestorId: attestor }))).toMatchObject({
      ...{ code: 'validation_error', field: 'attestor_agent_id' },
    })
    await changeAgent(database, payee, { status: 'quarantined' })
    await heldNow(100n, other)
    await changeAgent(database, payer, { status: 'paused' })
    expect(await refusalOf(holdNow(100n))).toMatchObject({
      ...{ code: 'policy_denied', message: 'Agent is paused' },
    })
  })

  test('that names an agent which does not exist is not found, and nothing is held', async () => {
    const missing = '01890000-0000-7000-8000-000000000dea'
    for (const named of [{ toAgentId: missing }, { attestorId: missing }]) {
      const field = 'toAgentId' in named ? 'to_agent_id' : 'attestor_agent_id'
      expect(await refusalOf(holdNow(100n, named))).toMatchObject({ code: 'not_found', field })
    }
    expect(await balanceOf(database, payer)).toBe(100_000n)
  })

  test('passes above the escrow threshold, and within every other limit only', async () => {
    await changeAgent(database, payer, {
      ...{ require_escrow_above_paise: 1_000n, spend_limit_daily_paise: 50_000n },
    })
    expect(await refusalOf(node.pay(order(payer, payee, 40_000n)))).toMatchObject({ code: 'escrow_required' })
    await heldNow(40_000n, { toAgentId: payee })
    expect(await refusalOf(holdNow(10_001n))).toMatchObject({
      code: 'spend_limit_exceeded',
      details: { rule: 'spend_limit_daily', layer: 'agent', limit: 500, used: 400, remaining: 100 },
    })
  })

  test('is checked against the payee lists where it names an agent', async () => {
    await changeAgent(database, payer, { blocked_payee_agents: [payee] })
    expect(await refusalOf(holdNow(100n, { toAgentId: payee }))).toMatchObject({
      ...{ code: 'authorization_error', field: 'to_agent_id' },
    })
    expect(await refusalOf(holdNow(100n, { attestorId: payee }))).toMatchObject({
      ...{ code: 'authorization_error', field: 'attestor_agent_id' },
    })
    const open = await heldNow(100n)
    expect(await refusalOf(releaseOn(node, open, payee))).toMatchObject({ code: 'authorization_error' })
    await releaseOn(node, open, attestor)
  })

  test('with a used key names the first hold, and holds nothing', async () => {
    const first = await heldNow(100n, { idempotencyKey: 'hold\nk' })
    expect(await refusalOf(holdNow(100n, { idempotencyKey: 'hold\nk' }))).toMatchObject({
      ...{ code: 'idempotency_error', details: { escrow_id: formatId('esc', first.id) } },
    })
    expect(await balanceOf(database, payer)).toBe(99_900n)
  })
})

test('an attestor releases to the recipient, and to itself where no recipient was named', async () => {
  const [named, own] = [
    await heldNow(100n, { attestorId: attestor, toAgentId: payee }),
    await heldNow(200n, { attestorId: attestor }),
  ]
  for (const escrow of [named, own]) {
    expect(await attestOn(node, escrow)).toMatchObject({ status: 'released', resolvedAt: clock.now() })
  }
  expect([await balanceOf(database, payee), await balanceOf(database, attestor)]).toEqual([100n, 200n])
})
