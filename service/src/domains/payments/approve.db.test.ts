import type { PaymentResult } from '@batua/contract'
import { beforeEach, describe, expect } from 'vitest'
import { DAY_MS } from '../../kernel/clock.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { approvalOf, approve, reject, writtenOf } from '../../testing/approving.ts'
import { balanceOf, type ControlColumns, changeAgent, order } from '../../testing/builders.ts'
import { refusalOf } from '../../testing/expect-refusal.ts'
import { clock, database, newFundedAgent, newUnfundedAgent, node, test } from '../../testing/ledger-test.ts'
import { approvalExpiry } from './approvals/expire.ts'
import type { PaymentOrder } from './pay.ts'

const ASKS = { require_human_approval_above_paise: 10_000n }
let payer: Uuid
let payee: Uuid

beforeEach(async () => {
  payer = await newFundedAgent(100_000n, ASKS)
  payee = await newUnfundedAgent()
})

const payerNow = (columns: ControlColumns | { status: 'paused' | 'active' }) =>
  changeAgent(database, payer, columns)
const ask = (amount = 20_000n, more: Partial<PaymentOrder> = {}) =>
  node.pay(order(payer, payee, amount, more))

describe('a payment above its threshold', () => {
  test('waits: no money moves and none is reserved', async () => {
    const waiting = await ask()
    expect(waiting).toEqual({
      ...{ payment_id: null, status: 'pending_approval', from_balance: 1_000, cost: 1 },
      ...{ approval_id: expect.stringMatching(/^apr_/), created_at: clock.now().toISOString() },
      policy_version: expect.any(String),
    })
    expect(await balanceOf(database, payer)).toBe(100_000n)
    // All of it can still be spent on other things.
    for (let each = 0; each < 9; each++) await ask(10_000n)
    expect(await balanceOf(database, payer)).toBe(9_100n)
  })

  test('is paid by the approval, with the agent’s key, reference and note', async () => {
    const given = { idempotencyKey: 'k"1', reference: 'r\\1', note: 'a\nb' }
    const approval = await approvalOf(database, await ask(20_000n, given))
    expect(approval).toMatchObject({
      ...given,
      feePaise: 100n,
      layer: 'agent',
      terms: { policy_version: expect.any(String) },
    })
    clock.advance(60_000)
    const { approval: approved, made } = await approve(node, approval)
    expect(made.payment).toMatchObject({ status: 'completed', from_balance: 799, cost: 1 })
    expect(approved).toMatchObject({ status: 'approved', decidedAt: clock.now() })
    expect(made.payment?.payment_id).toBe(formatId('pay', approved.madeId ?? ''))
    expect(await writtenOf(database, approval)).toMatchObject(approved)
    const [row] = await database.query(
      `select idempotency_key as "idempotencyKey", reference, note, posted_at as at from transfers where id = $1`,
      [approved.madeId],
    )
    expect(row).toEqual({ ...given, at: clock.now() })
    expect(await balanceOf(database, payee)).toBe(20_000n)
  })

  test('counts against the limits when it is paid, not when it was requested', async () => {
    await payerNow({ spend_limit_hourly_paise: 20_000n })
    const approval = await approvalOf(database, await ask())
    clock.advance(2 * 60 * 60_000)
    await approve(node, approval)
    expect(await refusalOf(ask(1n))).toMatchObject({ code: 'spend_limit_exceeded', details: { used: 200 } })
  })
})

describe('an approval is decided again when the owner approves it, and is refused by', () => {
  test.each<[string, string, () => Promise<unknown>, () => Promise<unknown>]>([
    [
      'a limit that was used up meanwhile',
      'spend_limit_exceeded',
      () => payerNow({ spend_limit_daily_paise: 19_999n }),
      () => payerNow({ spend_limit_daily_paise: 20_000n }),
    ],
    [
      'a payee that was paused meanwhile',
      'validation_error',
      () => changeAgent(database, payee, { status: 'paused' }),
      () => changeAgent(database, payee, { status: 'active' }),
    ],
    [
      'a payee that was blocked meanwhile',
      'authorization_error',
      () => payerNow({ blocked_payee_agents: [payee] }),
      () => payerNow({ blocked_payee_agents: [] }),
    ],
    [
      'an agent that was paused meanwhile',
      'policy_denied',
      () => payerNow({ status: 'paused' }),
      () => payerNow({ status: 'active' }),
    ],
    [
      'a balance that was spent meanwhile',
      'insufficient_balance',
      async () => {
        for (let each = 0; each < 8; each++) await ask(10_000n)
      },
      () => payBack(1_000n),
    ],
  ])('%s refuses (%s), it still waits, and later passes', async (_why, code, change, undo) => {
    const approval = await approvalOf(database, await ask())
    await change()
    expect(await refusalOf(approve(node, approval))).toMatchObject({ code })
    expect(await writtenOf(database, approval)).toEqual(approval)
    await undo()
    expect((await approve(node, approval)).approval.status).toBe('approved')
  })

  async function payBack(amount: bigint): Promise<void> {
    const friend = await newFundedAgent(100_000n)
    await node.pay(order(friend, payer, amount))
  }

  test('a payment to a deactivated payee is refused each time', async () => {
    const approval = await approvalOf(database, await ask())
    await changeAgent(database, payee, { status: 'deactivated' })
    for (let each = 0; each < 2; each++) {
      expect(await refusalOf(approve(node, approval))).toMatchObject({ code: 'validation_error' })
    }
    expect((await writtenOf(database, approval)).status).toBe('pending_approval')
  })

  test('the approval passes above the threshold and after the agent’s key was replaced', async () => {
    const approval = await approvalOf(database, await ask())
    await payerNow({ require_human_approval_above_paise: 0n })
    await changeAgent(database, payer, { key_hash: Buffer.alloc(32) })
    expect((await approve(node, approval)).approval.status).toBe('approved')
  })
})

describe('an idempotency key', () => {
  const keyed = () => ask(20_000n, { idempotencyKey: 'once' })
  const cheap = () => ask(100n, { idempotencyKey: 'once' })
  const usedBy = (first: PaymentResult) => ({
    code: 'idempotency_error',
    details: { payment_id: null, status: 'pending_approval', approval_id: first.approval_id },
  })

  test('is used while its payment waits, for payments above and below the threshold', async () => {
    const first = await keyed()
    for (const again of [keyed, cheap]) expect(await refusalOf(again())).toMatchObject(usedBy(first))
  })

  test('can be used again after a rejection', async () => {
    await reject(node, await approvalOf(database, await keyed()))
    expect(await cheap()).toMatchObject({ status: 'completed' })
    expect(await refusalOf(keyed())).toMatchObject({ details: { status: 'completed' } })
  })

  test.each(['swept', 'not swept'])(
    'can be used again from the millisecond of expiry on, %s',
    async swept => {
      const first = await keyed()
      clock.advance(DAY_MS - 1)
      expect(await refusalOf(cheap())).toMatchObject(usedBy(first))
      clock.advance(1)
      if (swept === 'swept') await approvalExpiry(node).run(clock.now())
      const second = await keyed()
      expect(second).toMatchObject({ status: 'pending_approval' })
      expect(await refusalOf(cheap())).toMatchObject(usedBy(second))
      expect(await refusalOf(approve(node, await approvalOf(database, first)))).toMatchObject({
        ...{ code: 'conflict', details: { status: 'expired' } },
      })
      await approve(node, await approvalOf(database, second))
    },
  )

  test('names the payment after the approval', async () => {
    const { made } = await approve(node, await approvalOf(database, await keyed()))
    const details = { payment_id: made.payment?.payment_id, status: 'completed' }
    expect(await refusalOf(cheap())).toMatchObject({ code: 'idempotency_error', details })
  })
})

describe('a unique reference', () => {
  const unique = (amount: bigint) => ask(amount, { reference: 'nonce', uniqueReference: true })

  test('is used while a payment with it waits, to this payee alone', async () => {
    const first = await ask(20_000n, { reference: 'nonce' })
    const details = { payment_id: null, approval_id: first.approval_id, status: 'pending_approval' }
    expect(await refusalOf(unique(100n))).toMatchObject({ code: 'conflict', details })
    const other = await newUnfundedAgent()
    const toOther = order(payer, other, 100n, { reference: 'nonce', uniqueReference: true })
    expect(await node.pay(toOther)).toMatchObject({ status: 'completed' })
  })

  test('refuses the approval when a payment with it was made in the meantime', async () => {
    const approval = await approvalOf(database, await unique(20_000n))
    const { payment_id } = await ask(100n, { reference: 'nonce' })
    expect(await refusalOf(approve(node, approval))).toMatchObject({
      code: 'conflict',
      details: { payment_id },
    })
  })

  test('does not block its own approval, and is used afterwards', async () => {
    const approval = await approvalOf(database, await unique(20_000n))
    const { made } = await approve(node, approval)
    expect(await refusalOf(unique(100n))).toMatchObject({
      details: { payment_id: made.payment?.payment_id },
    })
  })
})

describe('a decided approval stays', () => {
  test('an approved request cannot be decided again', async () => {
    const approval = await approvalOf(database, await ask())
    await approve(node, approval)
    const conflict = { code: 'conflict', details: { status: 'approved' } }
    expect(await refusalOf(approve(node, approval))).toMatchObject(conflict)
    expect(await refusalOf(reject(node, approval))).toMatchObject(conflict)
    expect(await balanceOf(database, payee)).toBe(20_000n)
  })

  test('a rejected request cannot be decided again', async () => {
    const approval = await approvalOf(database, await ask())
    expect(await reject(node, approval)).toMatchObject({ status: 'rejected', decidedAt: clock.now() })
    const conflict = { code: 'conflict', details: { status: 'rejected' } }
    expect(await refusalOf(approve(node, approval))).toMatchObject(conflict)
    expect(await refusalOf(reject(node, approval))).toMatchObject(conflict)
  })

  test('a request is expired at its millisecond, before the job wrote it down', async () => {
    const [early, late] = [await approvalOf(database, await ask()), await approvalOf(database, await ask())]
    clock.advance(DAY_MS - 1)
    expect((await approve(node, early)).approval.status).toBe('approved')
    clock.advance(1)
    const conflict = { code: 'conflict', details: { status: 'expired' } }
    expect(await refusalOf(approve(node, late))).toMatchObject(conflict)
    expect(await refusalOf(reject(node, late))).toMatchObject(conflict)
    await approvalExpiry(node).run(clock.now())
    expect(await writtenOf(database, late)).toMatchObject({
      status: 'expired',
      decidedAt: late.expiresAt,
    })
  })
})
