import type { PaymentResult } from '@batua/contract'
import fc from 'fast-check'
import { afterAll, expect } from 'vitest'
import { type Database, openDatabase } from '../../db/database.ts'
import { AppError } from '../../kernel/app-error.ts'
import { DAY_MS } from '../../kernel/clock.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { approve, reject, writtenOf } from '../../testing/approving.ts'
import {
  balanceOf,
  changeAgent,
  expectBalanced,
  fund,
  insertAgent,
  insertFundedAgent,
  order,
  startNode,
  type TestNode,
} from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { PROOF_LENGTH, SEED } from '../../testing/knobs.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import {
  type Act,
  type ApprovalModel,
  acts,
  emptyModel,
  MODEL_DAILY,
  MODEL_FUNDS,
  MODEL_PAYEES,
  MODEL_THRESHOLD,
  approve as modelApprove,
  pay as modelPay,
  reject as modelReject,
  type Reply,
  statusAt,
} from '../../testing/model/approval-model.ts'
import type { Approval } from './approvals/approval.ts'
import { approvalExpiry } from './approvals/expire.ts'
import { selectApproval } from './approvals/store.ts'

const PROGRAMS = 10 * PROOF_LENGTH
const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let second: Database
let nodes: readonly [TestNode, TestNode]

test.beforeAll(async () => {
  second = openDatabase(db.url)
  nodes = [startNode({ database, clock }), startNode({ database: second, clock })]
})

afterAll(async () => {
  await expectBalanced(database)
  await Promise.all(nodes.map(({ ledger }) => ledger.close()))
  await second.close()
})

/** The wallets of one program, and the ids of its payments and approvals by their place in the model. */
interface Run {
  readonly payer: Uuid
  readonly payees: readonly Uuid[]
  readonly model: ApprovalModel
  readonly payments: Uuid[]
  readonly approvals: Approval[]
}

const tally = new Map<string, number>()

test('approvals on two nodes have the same results as a plain model, whatever happened before', async () => {
  console.log(`approval model seed ${SEED}`)
  await fc.assert(fc.asyncProperty(acts, runActs), { numRuns: PROGRAMS, seed: SEED })
  console.log(tally)
}, 600_000)

async function runActs(program: readonly Act[]): Promise<void> {
  const columns = {
    require_human_approval_above_paise: MODEL_THRESHOLD,
    spend_limit_daily_paise: MODEL_DAILY,
  }
  const run: Run = {
    payer: await insertFundedAgent(nodes[0].ledger, database, clock, MODEL_FUNDS, columns),
    payees: await Promise.all(Array.from({ length: MODEL_PAYEES }, () => insertAgent(database, clock.now()))),
    model: emptyModel(),
    payments: [],
    approvals: [],
  }
  for (const [at, act] of program.entries()) await runAct(run, nodes[at % 2] ?? nodes[0], act)
  await expectWritten(run)
}

async function runAct(run: Run, node: TestNode, act: Act): Promise<void> {
  const { model, payer, payees, approvals } = run
  const nowMs = clock.now().getTime()
  switch (act.do) {
    case 'pay': {
      const { key, reference, unique } = act
      const more = { idempotencyKey: key, reference, uniqueReference: unique }
      const response = node.pay(order(payer, payees[act.payee] ?? '', act.amount, more))
      return expectResponse(await outcomeOf(run, response), modelPay(model, act, nowMs))
    }
    case 'approve':
    case 'reject': {
      const which = act.which % Math.max(1, approvals.length)
      const approval = approvals[which]
      if (approval === undefined) return
      if (act.do === 'reject') {
        const response = reject(node, approval).then(() => 'rejected' as const)
        return expectResponse(await outcomeOf(run, response), modelReject(model, which, nowMs))
      }
      const response = approve(node, approval).then(({ made }) => made.payment ?? 'rejected')
      return expectResponse(await outcomeOf(run, response), modelApprove(model, which, nowMs))
    }
    case 'set payee': {
      const which = act.which % payees.length
      if (act.paused) model.paused.add(which)
      else model.paused.delete(which)
      await changeAgent(database, payees[which] ?? '', { status: act.paused ? 'paused' : 'active' })
      return
    }
    case 'sweep':
      await approvalExpiry(node).run(clock.now())
      return
    case 'fund':
      model.balance += act.amount
      await fund(node.ledger, payer, act.amount)
      return
    case 'wait':
      clock.advance(act.ms)
      return
    case 'wait for expiry': {
      const asked = model.approvals[act.which % Math.max(1, model.approvals.length)]
      clock.advance(Math.max(0, (asked?.atMs ?? nowMs) + DAY_MS + act.ms - nowMs))
    }
  }
}

/** The service's response, in the model's terms. New payments and approvals get the next place. */
async function outcomeOf(run: Run, response: Promise<PaymentResult | 'rejected'>): Promise<Reply> {
  const outcome = await response.catch((error: unknown) => {
    if (error instanceof AppError) return error
    throw error
  })
  if (outcome === 'rejected') return { kind: 'rejected' }
  if (outcome instanceof AppError) return refusalResponse(run, outcome)
  if (outcome.approval_id === undefined) {
    return { kind: 'paid', payment: run.payments.push(parseId('pay', outcome.payment_id ?? '') ?? '') - 1 }
  }
  const approval = await selectApproval(database, parseId('apr', outcome.approval_id) ?? '')
  if (approval === null) throw new Error('the requested approval was not stored')
  return { kind: 'asked', approval: run.approvals.push(approval) - 1 }
}

function refusalResponse({ payments, approvals }: Run, { code, details = {} }: AppError): Reply {
  const { payment_id: paymentId, approval_id: approvalId, status } = details
  if (typeof paymentId === 'string' && status !== 'approved') {
    return { kind: 'refused', code, payment: payments.indexOf(parseId('pay', paymentId) ?? '') }
  }
  const approval = approvals.findIndex(({ id }) => id === parseId('apr', String(approvalId)))
  // For a decided approval the status matters; for one that blocks a key the status is always the same.
  if (status === 'pending_approval') return { kind: 'refused', code, approval }
  return { kind: 'refused', code, ...(typeof status === 'string' ? { status } : {}) }
}

function expectResponse(response: Reply, wanted: Reply): void {
  expect(response).toEqual(wanted)
  const name = response.kind === 'refused' ? response.code : response.kind
  tally.set(name, (tally.get(name) ?? 0) + 1)
}

/** The records and the ledger match the model. */
async function expectWritten({ payer, model, payments, approvals }: Run): Promise<void> {
  await approvalExpiry(nodes[0]).run(clock.now())
  expect(await balanceOf(database, payer)).toBe(model.balance)
  for (const [at, approval] of approvals.entries()) {
    const written = await writtenOf(database, approval)
    const asked = model.approvals[at]
    if (asked === undefined) throw new Error('the model has no such approval')
    expect(written.status).toBe(statusAt(asked, clock.now().getTime()))
    expect(written.madeId !== null && payments.includes(written.madeId)).toBe(asked.status === 'approved')
  }
}
