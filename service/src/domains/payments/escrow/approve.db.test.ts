import type { EscrowHold } from '@batua/contract'
import { beforeEach, expect } from 'vitest'
import { DAY_MS, HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { reject, writtenOf } from '../../../testing/approving.ts'
import { balanceOf, changeAgent, outcomesOf, startNode } from '../../../testing/builders.ts'
import { escrowOf, holdOn, intent } from '../../../testing/escrows.ts'
import { refusalOf } from '../../../testing/expect-refusal.ts'
import { faultyDatabase } from '../../../testing/faulty-database.ts'
import { clock, db, newFundedAgent, newUnfundedAgent, node, test } from '../../../testing/ledger-test.ts'
import type { Approval } from '../approvals/approval.ts'
import { approvalExpiry } from '../approvals/expire.ts'
import { selectApproval } from '../approvals/store.ts'
import type { HoldIntent } from './escrow.ts'
import { executeHold } from './hold.ts'

const ASKS = { require_human_approval_above_paise: 10_000n }
let payer: Uuid
let payee: Uuid

beforeEach(async () => {
  payer = await newFundedAgent(100_000n, ASKS)
  payee = await newUnfundedAgent()
})

const ask = (more: Partial<HoldIntent> = {}, on = node) =>
  holdOn(on, intent(payer, 20_000n, { toAgentId: payee, ...more }))

async function approvalOf(asked: EscrowHold): Promise<Approval> {
  const id = asked.status === 'pending_approval' ? asked.approval_id : ''
  const approval = await selectApproval(db.database, parseId('apr', id) ?? '')
  if (approval === null) throw new Error('no approval waits')
  return approval
}

const approve = (approval: Approval) =>
  node.ledger.submit(executeHold(node.agents)(approval, { actor: service('test'), evidence: null }))

async function holds(): Promise<number> {
  const rows = await db.database.query('select id from escrows where agent_id = $1', [payer])
  return rows.length
}

test('a hold above its threshold waits: no money moves, and the response names the approval', async () => {
  const response = await ask({ timeoutMs: HOUR_MS, autoAction: 'release', reference: 'r' })
  expect(response).toEqual({
    ...{ escrow_id: null, agent_id: formatId('agt', payer), to_agent_id: formatId('agt', payee) },
    ...{ attestor_agent_id: null, amount: 200, reference: 'r', status: 'pending_approval' },
    ...{ auto_action: 'release', expires_at: null, created_at: clock.now().toISOString() },
    ...{ resolved_at: null, transaction_id: null, approval_id: expect.stringMatching(/^apr_/) },
    policy_version: expect.any(String),
  })
  expect(await balanceOf(db.database, payer)).toBe(100_000n)
  expect(await approvalOf(response)).toMatchObject({
    ...{ kind: 'escrow_hold', payeeId: payee, feePaise: 0n, note: null, reference: 'r' },
  })
})

test('the approval makes the hold in its own commit, and the timeout runs from then', async () => {
  const approval = await approvalOf(await ask({ timeoutMs: HOUR_MS, autoAction: 'release' }))
  clock.advance(3 * HOUR_MS)
  const { approval: approved, made } = await approve(approval)
  const escrow = await escrowOf(db.database, made.escrow ?? { escrow_id: null })
  expect(escrow).toMatchObject({
    ...{ status: 'held', toAgentId: payee, amountPaise: 20_000n, createdAt: clock.now() },
    expiresAt: new Date(clock.now().getTime() + HOUR_MS),
  })
  expect(approved).toMatchObject({ status: 'approved', madeId: escrow.id })
  expect(await balanceOf(db.database, payer)).toBe(80_000n)
  expect(await refusalOf(approve(approval))).toMatchObject({ code: 'conflict' })
})

test('the approval decides again: it returns a refusal, and the request continues to wait', async () => {
  const approval = await approvalOf(await ask())
  await changeAgent(db.database, payee, { status: 'paused' })
  expect(await refusalOf(approve(approval))).toMatchObject({ code: 'validation_error', field: 'to_agent_id' })
  await changeAgent(db.database, payee, { status: 'active' })
  await changeAgent(db.database, payer, { spend_limit_daily_paise: 19_999n })
  expect(await refusalOf(approve(approval))).toMatchObject({ code: 'spend_limit_exceeded' })
  await changeAgent(db.database, payer, { spend_limit_daily_paise: 20_000n })
  expect((await writtenOf(db.database, approval)).status).toBe('pending_approval')
  await approve(approval)
})

test('a key is used as long as the request waits, and can be used again once it is rejected or expired', async () => {
  const keyed = { idempotencyKey: 'hold\nk' }
  const first = await approvalOf(await ask(keyed))
  expect(await refusalOf(ask(keyed))).toMatchObject({
    code: 'idempotency_error',
    details: { escrow_id: null, approval_id: formatId('apr', first.id), status: 'pending_approval' },
  })
  await reject(node, first)
  const second = await approvalOf(await ask(keyed))
  clock.advance(DAY_MS)
  expect(await refusalOf(approve(second))).toMatchObject({ code: 'conflict' })
  await approvalExpiry(node).run(clock.now())
  const third = await approvalOf(await ask(keyed))
  // The request's own key does not block its approval.
  await approve(third)
  expect(await refusalOf(ask(keyed))).toMatchObject({ code: 'idempotency_error' })
})

test('of 20 concurrent calls that approve and reject exactly one wins', async () => {
  for (let round = 0; round < 20; round++) {
    payer = await newFundedAgent(100_000n, ASKS)
    const approval = await approvalOf(await ask())
    const { done } = await outcomesOf<object>(
      Array.from({ length: 20 }, (_, at) =>
        (at + round) % 2 === 0 ? approve(approval) : reject(node, approval),
      ),
    )
    const { status } = await writtenOf(db.database, approval)
    expect([done.length, await holds()]).toEqual([1, status === 'approved' ? 1 : 0])
  }
})

test('one approval is requested although the response of the commit was lost', async () => {
  let left = 1
  const database = faultyDatabase(db.database, text => {
    if (left === 0 || text !== 'commit') return 'none'
    left--
    return 'cut after the response'
  })
  const cut = startNode({ database, clock, committers: 1 })
  const response = await ask({}, cut)
  await cut.ledger.close()
  expect(left).toBe(0)
  const waiting = await db.database.query(
    `select id from approvals where agent_id = $1 and status = 'pending_approval'`,
    [payer],
  )
  expect(waiting).toEqual([{ id: (await approvalOf(response)).id }])
})
