import type { Escrow } from '../../domains/payments/escrow/escrow.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { escrowOf, holdOn, intent, refundOn, releaseOn } from '../escrows.ts'
import type { Hold } from './limits-program.ts'
import type { PastPayment, PlainLayers } from './limits-reference.ts'
import { expectSame, responseOf } from './limits-results.ts'
import {
  appAt,
  countStep,
  decidedMs,
  historyOf,
  type LimitsRun,
  layersOf,
  nodeAt,
  note,
  ofApp,
  payerAt,
  walletAt,
} from './limits-state.ts'

interface HoldOrder extends Hold {
  readonly node: number
  readonly payer: number
}

/**
 * A hold is decided like a payment without an escrow threshold; rules about payees do not apply without a recipient.
 */
export async function holdStep(run: LimitsRun, step: HoldOrder): Promise<void> {
  if (step.payee === step.payer) return
  const { amount } = step
  const node = nodeAt(run, step.node)
  const payer = payerAt(run, step.payer)
  const toAgentId = step.payee === null ? null : walletAt(run, step.payee)
  const nowMs = await decidedMs(run, node, toAgentId === null ? [payer.id] : [payer.id, toAgentId])
  const app = appAt(payer, step.by)
  const work = holdOn(node, intent(payer.id, amount, { toAgentId, app: app?.identity ?? null }))
  const result = await responseOf(
    work.then(({ status, created_at }) => ({
      ...{ status: status === 'held' ? 'completed' : 'pending_approval', created_at, from_balance: 0 },
    })),
  )
  const layers = holdLayers(layersOf(payer), toAgentId)
  expectSame(result, { layers, history: historyOf(payer), payee: toAgentId ?? '', nowMs, app }, amount)
  if (result.kind !== 'paid') return note(run, result)
  countStep(run, 'held')
  const escrow = await escrowOf(run.stage.database, await work)
  payer.held.set(escrow.id, escrow)
  payer.history.push({ payee: toAgentId, amount, atMs: result.atMs, holdId: escrow.id, ...ofApp(app) })
}

export function holdLayers(layers: PlainLayers, toAgentId: Uuid | null): PlainLayers {
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
export function releaseLayers(layers: PlainLayers): PlainLayers {
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
  countStep(run, `${step.how} of a hold`)
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
  const result = await responseOf(
    releaseOn(node, escrow, payee).then(({ resolvedAt }) => ({
      ...{ status: 'completed', created_at: resolvedAt?.toISOString() ?? '', from_balance: 0 },
    })),
  )
  const layers = releaseLayers(layersOf(payer))
  expectSame(result, { layers, history: historyOf(payer), payee, nowMs }, amount)
  note(run, result)
  if (result.kind !== 'paid') {
    countStep(run, 'release refused')
    return false
  }
  payer.releases.push({ payee, amount, atMs: result.atMs, holdId: escrow.id, isRelease: true })
  countStep(run, 'release to an agent named then')
  return true
}

export function undo(history: PastPayment[], holdId: Uuid): void {
  const at = history.findIndex(each => each.holdId === holdId)
  const past = history[at]
  if (past === undefined) throw new Error('a refund without a hold')
  history[at] = { ...past, undone: true }
}
