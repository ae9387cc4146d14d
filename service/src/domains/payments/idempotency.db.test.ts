import { beforeEach, describe, expect } from 'vitest'
import { HOUR_MS } from '../../kernel/clock.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { service } from '../../operations/facts.ts'
import {
  balanceOf,
  changeAgent,
  expectBalanced,
  fund,
  order,
  outcomesOf,
  refundOrder,
} from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { intent } from '../../testing/escrows.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { openPayoutNetwork, openPayoutNode, type PayoutNode } from '../../testing/paying-out.ts'
import { scriptedPayouts } from '../../testing/scripted-payouts.ts'
import { type WithdrawalOrder, withdrawCommand } from '../banking/payouts/withdraw.ts'
import type { HoldIntent } from './escrow/escrow.ts'
import { holdCommand } from './escrow/hold.ts'
import { type PaymentOrder, pay } from './pay.ts'
import { refundCommand } from './refund.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const FUNDS = 1_000_000n
let node: PayoutNode
let newWallet: () => Promise<Uuid>
let payer: Uuid
let payee: Uuid
let other: Uuid

test.beforeAll(async () => {
  node = openPayoutNode(db, scriptedPayouts(), clock)
  const people = await openPayoutNetwork(db, clock)
  newWallet = async () => {
    const id = await people.agent()
    await changeAgent(database, id, { key_hash: hashSecret(id), tier: 'tier3' })
    await fund(node.ledger, id, FUNDS)
    return id
  }
  ;[payee, other] = [await newWallet(), await newWallet()]
})

beforeEach(async () => {
  payer = await newWallet()
})

test.afterAll(async () => {
  await expectBalanced(database)
  expect(node.faults).toEqual([])
  await node.close()
})

/** The stored keys of the agent, its platform and its owner. */
const AGENTS = 'k'
const PLATFORMS = 'platform\nk'

const payNow = (more: Partial<PaymentOrder> = {}) =>
  pay(node.ledger, node.agents, order(payer, payee, 1_000n, { idempotencyKey: AGENTS, ...more }))
const holdNow = (more: Partial<HoldIntent> = {}) =>
  node.ledger.submit(
    holdCommand(
      node.agents,
      intent(payer, 1_000n, { toAgentId: payee, idempotencyKey: PLATFORMS, ...more }),
      { actor: service('test'), keyHash: null },
    ),
  )
const withdrawNow = (idempotencyKey: string, more: Partial<WithdrawalOrder> = {}) =>
  node.ledger.submit(
    withdrawCommand(node, {
      ...{ agentId: payer, amountPaise: paise(1_000n), idempotencyKey, actor: service('test') },
      requestKey: `a session ${idempotencyKey}`,
      ...more,
    }),
  )
const refundNow = async (paymentId: string | null, amount: bigint | null, key: string) =>
  node.ledger.submit(refundCommand(node.agents, await refundOrder(database, paymentId, amount, key)))

/** The details of the refusal: what the key was used for, and whether that was the same request. */
async function detailsOf(work: Promise<unknown>): Promise<Record<string, unknown>> {
  const { code, details } = await refusalOf(work)
  expect(code).toBe('idempotency_error')
  return { ...details }
}

describe('a repeated key', () => {
  test('of a payment says whether the payee, the amount, the reference and the note are the same', async () => {
    const terms = { reference: 'r', note: 'n' }
    const { payment_id } = await payNow(terms)
    const used = { payment_id, status: 'completed' }
    expect(await detailsOf(payNow(terms))).toEqual({ ...used, same_request: true })
    for (const change of [
      { payeeId: other },
      { amountPaise: paise(1_001n) },
      { reference: 'R' },
      { reference: null },
      { note: 'N' },
      { note: null },
    ]) {
      expect(await detailsOf(payNow({ ...terms, ...change }))).toEqual({ ...used, same_request: false })
    }
  })

  test('of a payment that waits for approval says the same, also after the approval', async () => {
    await changeAgent(database, payer, { require_human_approval_above_paise: 500n })
    const { approval_id } = await payNow({ note: 'n' })
    const used = { payment_id: null, approval_id, status: 'pending_approval' }
    expect(await detailsOf(payNow({ note: 'n' }))).toEqual({ ...used, same_request: true })
    for (const change of [{ note: null }, { payeeId: other }, { amountPaise: paise(400n) }]) {
      expect(await detailsOf(payNow({ note: 'n', ...change }))).toEqual({ ...used, same_request: false })
    }
  })

  test('of a refund says whether the payment and the amount are the same, also when the amount is left out', async () => {
    const { payment_id: first } = await payNow({ idempotencyKey: null })
    const { payment_id: second } = await payNow({ idempotencyKey: null })
    const { refund_id } = await refundNow(first, 300n, `part ${payer}`)
    const part = { refund_id, status: 'completed' }
    expect(await detailsOf(refundNow(first, 300n, `part ${payer}`))).toEqual({ ...part, same_request: true })
    expect(await detailsOf(refundNow(first, 301n, `part ${payer}`))).toEqual({ ...part, same_request: false })
    expect(await detailsOf(refundNow(second, 300n, `part ${payer}`))).toEqual({
      ...part,
      same_request: false,
    })
    expect(await detailsOf(refundNow(first, null, `part ${payer}`))).toEqual({ ...part, same_request: false })
    const rest = await refundNow(first, null, `rest ${payer}`)
    const all = { refund_id: rest.refund_id, status: 'completed' }
    expect(await detailsOf(refundNow(first, null, `rest ${payer}`))).toEqual({ ...all, same_request: true })
    expect(await detailsOf(refundNow(first, null, `part ${payer}`))).toEqual({ ...part, same_request: false })
  })

  test.each([false, true])('of a hold says whether all its terms are the same; waiting: %s', async waits => {
    if (waits) await changeAgent(database, payer, { require_human_approval_above_paise: 500n })
    const terms = { timeoutMs: HOUR_MS, autoAction: 'refund', reference: 'r' } as const
    const { escrow_id, approval_id }: Record<string, unknown> = { ...(await holdNow(terms)) }
    const used = waits ? { escrow_id: null, approval_id, status: 'pending_approval' } : { escrow_id }
    expect(await detailsOf(holdNow(terms))).toEqual({ ...used, same_request: true })
    for (const change of [
      { toAgentId: other },
      { toAgentId: null },
      { attestorId: other },
      { amountPaise: paise(999n) },
      { reference: null },
      { timeoutMs: 2 * HOUR_MS },
      { autoAction: 'release' },
    ] as const) {
      expect(await detailsOf(holdNow({ ...terms, ...change }))).toEqual({ ...used, same_request: false })
    }
  })

  test('of a withdrawal is the same payout, and one of another amount is refused', async () => {
    const first = await withdrawNow(AGENTS)
    expect((await withdrawNow(AGENTS)).id).toBe(first.id)
    const transaction_id = formatId('txn', first.id)
    const used = { transaction_id, status: 'pending', same_request: false }
    expect(await detailsOf(withdrawNow(AGENTS, { amountPaise: paise(2_000n) }))).toEqual(used)
    expect(await detailsOf(withdrawNow(AGENTS, { amountPaise: null }))).toEqual(used)
    const rest = await withdrawNow('rest', { amountPaise: null })
    expect((await withdrawNow('rest', { amountPaise: null })).id).toBe(rest.id)
    expect((await withdrawNow('rest', { amountPaise: rest.amountPaise })).id).toBe(rest.id)
  })

  test('of an owner is used up in all sessions: another session withdraws nothing with it', async () => {
    const first = await withdrawNow('owner\nk')
    const transaction_id = formatId('txn', first.id)
    const elsewhere = (amount: bigint) =>
      withdrawNow('owner\nk', { requestKey: 'another session', amountPaise: paise(amount) })
    expect(await detailsOf(elsewhere(1_000n))).toEqual({ transaction_id, same_request: true })
    expect(await detailsOf(elsewhere(2_000n))).toEqual({ transaction_id, same_request: false })
  })
})

describe('a key of a wallet', () => {
  test('that an agent used for a payment is refused for a refund and a withdrawal, and the other way round', async () => {
    const received = await pay(node.ledger, node.agents, order(other, payer, 1_000n))
    const { payment_id } = await payNow()
    const paid = { payment_id, status: 'completed', same_request: false }
    expect(await detailsOf(refundNow(received.payment_id, null, AGENTS))).toEqual(paid)
    expect(await detailsOf(withdrawNow(AGENTS))).toEqual(paid)
    const { refund_id } = await refundNow(received.payment_id, null, 'r')
    const refunded = { refund_id, status: 'completed', same_request: false }
    expect(await detailsOf(payNow({ idempotencyKey: 'r' }))).toEqual(refunded)
    const { id } = await withdrawNow('w')
    const withdrawn = { transaction_id: formatId('txn', id), same_request: false }
    expect(await detailsOf(payNow({ idempotencyKey: 'w' }))).toEqual(withdrawn)
  })

  test('that a platform used for a hold is refused for a withdrawal, and the other way round', async () => {
    const { escrow_id } = await holdNow()
    expect(await detailsOf(withdrawNow(PLATFORMS))).toEqual({ escrow_id, same_request: false })
    const { id } = await withdrawNow('platform\nw')
    const withdrawn = { transaction_id: formatId('txn', id), same_request: false }
    expect(await detailsOf(holdNow({ idempotencyKey: 'platform\nw' }))).toEqual(withdrawn)
  })

  test('is another one when its agent, its platform or its owner sends it', async () => {
    await payNow()
    await holdNow()
    await withdrawNow('owner\nk')
    // The fee of the payment is 1 INR.
    expect(await balanceOf(database, payer)).toBe(FUNDS - 3_100n)
  })

  test('takes effect once when a payment, a refund and a withdrawal with it are sent at the same time', async () => {
    const { payment_id } = await pay(node.ledger, node.agents, order(other, payer, 1_000n))
    const refund = await refundOrder(database, payment_id, null, AGENTS)
    const { done, refused } = await outcomesOf<unknown>([
      ...[payNow(), payNow({ amountPaise: paise(1_001n) }), withdrawNow(AGENTS)],
      ...[node.ledger.submit(refundCommand(node.agents, refund)), withdrawNow(AGENTS, { requestKey: null })],
    ])
    expect(done).toHaveLength(1)
    expect(new Set(refused.map(({ code }) => code))).toEqual(new Set(['idempotency_error']))
  })
})

test('a hold of an earlier release, whose key was stored in another form, is not made again', async () => {
  const { escrow_id } = await holdNow({ idempotencyKey: 'hold\nk' })
  const repeated = (more: Partial<HoldIntent> = {}) => holdNow({ formerKey: 'hold\nk', ...more })
  expect(await detailsOf(repeated())).toEqual({ escrow_id, same_request: true })
  expect(await detailsOf(repeated({ amountPaise: paise(2_000n) }))).toEqual({
    escrow_id,
    same_request: false,
  })
})
