import { deepEqual } from 'node:assert/strict'
import type { Queryable } from '../../db/database.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import { allocateOn } from '../allocating.ts'
import { approvalOf, approve } from '../approving.ts'
import { order, outcomesOf } from '../builders.ts'
import { escrowOf, holdOn, intent, refundOn, releaseOn } from '../escrows.ts'
import { allocationLayers, foundAround } from './limits-allocations.ts'
import { appWithId, disconnectStep, openApps, takeAsked } from './limits-apps.ts'
import { holdLayers, releaseLayers, undo } from './limits-holds.ts'
import type { Hold, Step } from './limits-program.ts'
import { brokenByLast } from './limits-race.ts'
import type { PastPayment, PlainLayers } from './limits-reference.ts'
import { expectHeadroom } from './limits-results.ts'
import {
  appAt,
  countStep,
  decidedMs,
  historyOf,
  type LimitsRun,
  layersOf,
  look,
  nodeAt,
  type Payer,
  payerAt,
  walletAt,
} from './limits-state.ts'

type Mix = Extract<Step, { readonly do: 'mix' }>

/**
 * Concurrent holds, refunds and approvals on both nodes. No limit is exceeded at any moment, and afterwards all figures
 * match.
 */
export async function mixStep(run: LimitsRun, step: Mix): Promise<void> {
  const { stage } = run
  const payer = payerAt(run, step.payer)
  const times = await Promise.all(stage.nodes.map(node => decidedMs(run, node, run.wallets)))
  stage.setClocks(new Date(Math.max(...times)))
  const ended = [...payer.held.values()].slice(0, step.refunds)
  const unnamed = [...payer.held.values()].filter(each => each.toAgentId === null && !ended.includes(each))
  const payees = [step.payee, (step.payee + 1) % run.wallets.length].filter(each => each !== step.payer)
  const isOther = ({ payee }: Hold) => payee !== step.payer
  const asked = await Promise.all(
    takeAsked(payer, 0, step.approvals).map(({ approvalId }) => {
      return approvalOf(stage.database, { approval_id: approvalId })
    }),
  )
  await foundAround(run, payer.id)
  await outcomesOf<object>([
    ...step.payments.filter(isOther).map(({ payee, amount, by }, at) => {
      const app = appAt(payer, by)?.identity ?? null
      return nodeAt(run, at % 2).pay(order(payer.id, walletAt(run, payee), amount, { app }))
    }),
    ...step.holds.filter(isOther).map(({ payee, amount, by }, at) => {
      const toAgentId = payee === null ? null : walletAt(run, payee)
      const app = appAt(payer, by)?.identity ?? null
      return holdOn(nodeAt(run, at % 2), intent(payer.id, amount, { toAgentId, app }))
    }),
    ...asked.map((approval, at) => approve(nodeAt(run, at % 2), approval)),
    ...step.allocations.filter(isOther).map(({ payee, amount }, at) => {
      return allocateOn(nodeAt(run, at % 2), payer.id, walletAt(run, payee), amount)
    }),
    ...ended.map((escrow, at) => refundOn(nodeAt(run, (at + 1) % 2), escrow)),
    ...unnamed.slice(0, step.releases).map((escrow, at) => {
      return releaseOn(nodeAt(run, at % 2), escrow, walletAt(run, payees[at % payees.length] ?? 0))
    }),
    ...(step.disconnected === null
      ? []
      : [disconnected(run, { ...step, node: 1, place: step.disconnected })]),
  ])
  await readHistory(run, payer)
  countStep(run, 'mix')
  for (const node of stage.nodes) {
    const nowMs = await decidedMs(run, node, [payer.id])
    const question = { layers: layersOf(payer), history: historyOf(payer), payee: null, nowMs }
    for (const app of [null, ...openApps(payer, nowMs)]) {
      expectHeadroom(await look(run, node, payer, null, app), { ...question, app })
    }
  }
}

async function disconnected(
  run: LimitsRun,
  step: { node: number; payer: number; place: number },
): Promise<object> {
  await disconnectStep(run, step)
  return {}
}

interface Row {
  readonly id: Uuid
  readonly kind: string
  readonly payee: Uuid
  readonly named: Uuid | null
  /** The app that spent it. */
  readonly app: Uuid | null
  readonly amount: bigint
  readonly posted_at: Date
}

/** The payer's history in the ledger, in the order of its decisions; each new part is within the limits. */
async function readHistory({ stage }: LimitsRun, payer: Payer): Promise<void> {
  const rows = await stage.database.query<Row>(
    `select t.id, t.kind, t.credit_account as payee, t.linked_id as named, t.amount_paise as amount, t.posted_at,
       case t.kind when 'payment' then t.linked_id else e.app_id end as app
     from transfers t left join escrows e on e.id = t.id
     where (t.debit_account = $1 and t.kind in ('payment', 'escrow_hold', 'allocation'))
       or (t.credit_account = $1 and t.kind = 'escrow_refund')
     order by case t.kind when 'escrow_refund' then t.credit_sequence else t.debit_sequence end`,
    [payer.id],
  )
  const released = await readReleases(stage.database, payer)
  const known = payer.history.length
  const read: PastPayment[] = []
  const layers = layersOf(payer)
  for (const { id, kind, payee, named, amount, posted_at, app } of rows) {
    if (kind === 'escrow_refund') {
      undo(read, named ?? '')
      payer.held.delete(named ?? '')
      continue
    }
    const isHold = kind === 'escrow_hold'
    read.push({
      ...{ payee: isHold ? named : payee, amount, atMs: posted_at.getTime() },
      ...(isHold ? { holdId: id } : {}),
      ...(app === null ? {} : { app }),
    })
    if (read.length <= known) continue
    deepEqual(brokenByLast(layersFor(kind, layers, named), read, appWithId(payer, app)), [])
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
  const rows = await db.query<Omit<Row, 'app'>>(
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

function paid(payment: PastPayment): PastPayment {
  return { ...payment, undone: false }
}
