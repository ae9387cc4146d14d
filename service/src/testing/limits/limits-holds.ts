import { deepEqual } from 'node:assert/strict'
import type { Queryable } from '../../db/database.ts'
import type { Escrow } from '../../domains/payments/escrow/escrow.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { allocateOn } from '../allocating.ts'
import { order, outcomesOf } from '../builders.ts'
import { escrowOf, holdOn, intent, refundOn, releaseOn } from '../escrows.ts'
import { allocationLayers, foundAround } from './limits-allocations.ts'
import type { Hold, Payment } from './limits-program.ts'
import { brokenByLast } from './limits-race.ts'
import type { PastPayment, PlainLayers } from './limits-reference.ts'
import { answerOf, expectHeadroom, expectSame } from './limits-results.ts'
import {
  decidedMs,
  historyOf,
  type LimitsRun,
  layersOf,
  look,
  nodeAt,
  note,
  type Payer,
  payerAt,
  walletAt,
} from './limits-state.ts'

interface HoldOrder extends Hold {
  readonly node: number
  readonly payer: number
}

/** A hold is decided like a payment without an escrow threshold; rules about payees do not apply without a recipient. */
export async function holdStep(run: LimitsRun, step: HoldOrder): Promise<void> {
  if (step.payee === step.payer) return
  const { amount } = step
  const node = nodeAt(run, step.node)
  const payer = payerAt(run, step.payer)
  const toAgentId = step.payee === null ? null : walletAt(run, step.payee)
  const nowMs = await decidedMs(run, node, toAgentId === null ? [payer.id] : [payer.id, toAgentId])
  const work = holdOn(node, intent(payer.id, amount, { toAgentId }))
  const result = await answerOf(
    work.then(({ status, created_at }) => ({
      ...{ status: status === 'held' ? 'completed' : 'pending_approval', created_at, from_balance: 0 },
    })),
  )
  const layers = holdLayers(layersOf(payer), toAgentId)
  expectSame(result, { layers, history: historyOf(payer), payee: toAgentId ?? '', nowMs }, amount)
  if (result.kind !== 'paid') return note(run, result)
  tell(run, 'held')
  const escrow = await escrowOf(run.stage.database, await work)
  payer.held.set(escrow.id, escrow)
  payer.history.push({ payee: toAgentId, amount, atMs: result.atMs, holdId: escrow.id })
}

function holdLayers(layers: PlainLayers, toAgentId: Uuid | null): PlainLayers {
  const unlisted = toAgentId === null ? NO_PAYEE_RULES : {}
  return layers.map(([layer, controls]) => [
    layer,
    { ...controls, ...unlisted, require_escrow_above_paise: null },
  ])
}

const NO_PAYEE_RULES = {
  allowed_payees: ['network'],
  blocked_payee_agents: [],
  per_counterparty_daily_limit_paise: null,
  max_counterparties_per_hour: null,
}

/** The rules about the recipient of a release, for a hold without one. */
function releaseLayers(layers: PlainLayers): PlainLayers {
  return layers.map(([layer, controls]) => [
    layer,
    {
      allowed_payees: controls.allowed_payees ?? ['network'],
      blocked_payee_agents: controls.blocked_payee_agents ?? [],
      per_counterparty_daily_limit_paise: controls.per_counterparty_daily_limit_paise ?? null,
      max_counterparties_per_hour: controls.max_counterparties_per_hour ?? null,
    },
  ])
}

function tell({ tally }: LimitsRun, what: string): void {
  tally.set(what, (tally.get(what) ?? 0) + 1)
}

/**
 * A refund removes the hold from every window; a release leaves it there, and counts for its payee if the hold had no
 * recipient.
 */
export async function endStep(
  run: LimitsRun,
  step: { node: number; payer: number; escrow: number; how: 'refund' | 'release'; payee: number },
): Promise<void> {
  const payer = payerAt(run, step.payer)
  const escrow = [...payer.held.values()][step.escrow % Math.max(1, payer.held.size)]
  if (escrow === undefined) return
  const node = nodeAt(run, step.node)
  if (step.how === 'refund') {
    await refundOn(node, escrow)
    undo(payer.history, escrow.id)
  } else if (escrow.toAgentId !== null) await releaseOn(node, escrow, escrow.toAgentId)
  else if (step.payee === step.payer || !(await releaseUnnamed(run, step, escrow))) return
  tell(run, `${step.how} of a hold`)
  payer.held.delete(escrow.id)
}

/** Whether the limits allow it; fails unless the reference agrees. */
async function releaseUnnamed(
  run: LimitsRun,
  step: { node: number; payer: number; payee: number },
  escrow: Escrow,
): Promise<boolean> {
  const node = nodeAt(run, step.node)
  const [payer, payee] = [payerAt(run, step.payer), walletAt(run, step.payee)]
  const amount = escrow.amountPaise
  const nowMs = await decidedMs(run, node, [payer.id, payee])
  const result = await answerOf(
    releaseOn(node, escrow, payee).then(({ resolvedAt }) => ({
      ...{ status: 'completed', created_at: resolvedAt?.toISOString() ?? '', from_balance: 0 },
    })),
  )
  const layers = releaseLayers(layersOf(payer))
  expectSame(result, { layers, history: historyOf(payer), payee, nowMs }, amount)
  note(run, result)
  if (result.kind !== 'paid') {
    tell(run, 'release refused')
    return false
  }
  payer.releases.push({ payee, amount, atMs: result.atMs, holdId: escrow.id, isRelease: true })
  tell(run, 'release to an agent named then')
  return true
}

function undo(history: PastPayment[], holdId: Uuid): void {
  const at = history.findIndex(each => each.holdId === holdId)
  const past = history[at]
  if (past === undefined) throw new Error('a refund without a hold')
  history[at] = { ...past, undone: true }
}

interface Mix {
  readonly payer: number
  readonly payments: readonly Payment[]
  readonly holds: readonly Hold[]
  readonly allocations: readonly Payment[]
  readonly refunds: number
  readonly releases: number
  readonly payee: number
}

/** Concurrent holds and refunds on both nodes. No limit is exceeded at any moment, and afterwards all figures match. */
export async function mixStep(run: LimitsRun, step: Mix): Promise<void> {
  const { stage } = run
  const payer = payerAt(run, step.payer)
  const times = await Promise.all(stage.nodes.map(node => decidedMs(run, node, run.wallets)))
  stage.setClocks(new Date(Math.max(...times)))
  const ended = [...payer.held.values()].slice(0, step.refunds)
  const unnamed = [...payer.held.values()].filter(each => each.toAgentId === null && !ended.includes(each))
  const payees = [step.payee, (step.payee + 1) % run.wallets.length].filter(each => each !== step.payer)
  const isOther = ({ payee }: Hold) => payee !== step.payer
  await foundAround(run, payer.id)
  await outcomesOf<object>([
    ...step.payments.filter(isOther).map(({ payee, amount }, at) => {
      return nodeAt(run, at % 2).pay(order(payer.id, walletAt(run, payee), amount))
    }),
    ...step.holds.filter(isOther).map(({ payee, amount }, at) => {
      const toAgentId = payee === null ? null : walletAt(run, payee)
      return holdOn(nodeAt(run, at % 2), intent(payer.id, amount, { toAgentId }))
    }),
    ...step.allocations.filter(isOther).map(({ payee, amount }, at) => {
      return allocateOn(nodeAt(run, at % 2), payer.id, walletAt(run, payee), amount)
    }),
    ...ended.map((escrow, at) => refundOn(nodeAt(run, (at + 1) % 2), escrow)),
    ...unnamed.slice(0, step.releases).map((escrow, at) => {
      return releaseOn(nodeAt(run, at % 2), escrow, walletAt(run, payees[at % payees.length] ?? 0))
    }),
  ])
  await readHistory(run, payer)
  tell(run, 'mix')
  for (const node of stage.nodes) {
    const nowMs = await decidedMs(run, node, [payer.id])
    const question = { layers: layersOf(payer), history: historyOf(payer), payee: null, nowMs }
    expectHeadroom(await look(run, node, payer, null), question)
  }
}

interface Row {
  readonly id: Uuid
  readonly kind: string
  readonly payee: Uuid
  readonly named: Uuid | null
  readonly amount: bigint
  readonly posted_at: Date
}

/** The payer's history in the ledger, in the order of its decisions; each new part is within the limits. */
async function readHistory({ stage }: LimitsRun, payer: Payer): Promise<void> {
  const rows = await stage.database.query<Row>(
    `select t.id, t.kind, t.credit_account as payee, t.linked_id as named, t.amount_paise as amount, t.posted_at
     from transfers t
     where (t.debit_account = $1 and t.kind in ('payment', 'escrow_hold', 'allocation'))
       or (t.credit_account = $1 and t.kind = 'escrow_refund')
     order by case t.kind when 'escrow_refund' then t.credit_sequence else t.debit_sequence end`,
    [payer.id],
  )
  const released = await readReleases(stage.database, payer)
  const known = payer.history.length
  const read: PastPayment[] = []
  const layers = layersOf(payer)
  for (const { id, kind, payee, named, amount, posted_at } of rows) {
    if (kind === 'escrow_refund') {
      undo(read, named ?? '')
      payer.held.delete(named ?? '')
      continue
    }
    const isHold = kind === 'escrow_hold'
    read.push({
      ...{ payee: isHold ? named : payee, amount, atMs: posted_at.getTime() },
      ...(isHold ? { holdId: id } : {}),
    })
    if (read.length <= known) continue
    deepEqual(brokenByLast(layersFor(kind, layers, named), read), [])
    if (isHold) payer.held.set(id, await escrowOf(stage.database, { escrow_id: formatId('esc', id) }))
  }
  deepEqual(read.slice(0, known).map(paid), payer.history.map(paid))
  payer.history.splice(0, known, ...read)
  for (const release of released) {
    const everything = [...historyOf(payer).filter(({ holdId }) => holdId !== release.holdId), release]
    deepEqual(brokenByLast(releaseLayers(layers), everything), [])
  }
}

/** Releases of holds without a recipient. Returns the new ones. */
async function readReleases(db: Queryable, payer: Payer): Promise<PastPayment[]> {
  const rows = await db.query<Row>(
    `select r.id, r.kind, r.credit_account as payee, r.linked_id as named, r.amount_paise as amount, r.posted_at
     from transfers h join transfers r on r.linked_id = h.id and r.kind = 'escrow_release'
     where h.debit_account = $1 and h.kind = 'escrow_hold' and h.linked_id is null order by r.id`,
    [payer.id],
  )
  const known = new Set(payer.releases.map(({ holdId }) => holdId))
  const added = rows.flatMap(({ payee, amount, named, posted_at }): PastPayment[] => {
    if (named === null || known.has(named)) return []
    return [{ payee, amount, atMs: posted_at.getTime(), holdId: named, isRelease: true }]
  })
  for (const { holdId = '' } of added) payer.held.delete(holdId)
  payer.releases.push(...added)
  return added
}

function layersFor(kind: string, layers: PlainLayers, named: Uuid | null): PlainLayers {
  if (kind === 'allocation') return allocationLayers(layers)
  return kind === 'escrow_hold' ? holdLayers(layers, named) : layers
}

function paid({ payee, amount, atMs, holdId }: PastPayment): PastPayment {
  return { payee, amount, atMs, ...(holdId === undefined ? {} : { holdId }) }
}
