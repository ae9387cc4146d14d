import type { Allocation } from '../../domains/payments/allocations/allocate.ts'
import { movementOf, parseId, type Uuid } from '../../kernel/ids.ts'
import { allocateOn, organize } from '../allocating.ts'
import type { Payment } from './limits-program.ts'
import type { PlainLayers } from './limits-reference.ts'
import { expectSame, responseOf } from './limits-results.ts'
import type { LimitsStage } from './limits-stage.ts'
import {
  decidedMs,
  historyOf,
  type LimitsRun,
  layersOf,
  nodeAt,
  note,
  payerAt,
  walletAt,
} from './limits-state.ts'

interface AllocationOrder extends Omit<Payment, 'by'> {
  readonly node: number
  readonly payer: number
}

/** Limits alone decide about an allocation: no lists, no thresholds. */
export async function allocateStep(run: LimitsRun, step: AllocationOrder): Promise<void> {
  if (step.payee === step.payer) return
  const node = nodeAt(run, step.node)
  const payer = payerAt(run, step.payer)
  const payee = walletAt(run, step.payee)
  await foundAround(run, payer.id)
  const nowMs = await decidedMs(run, node, [payer.id, payee])
  const result = await responseOf(allocated(run.stage, allocateOn(node, payer.id, payee, step.amount)))
  const layers = allocationLayers(layersOf(payer))
  expectSame(result, { layers, history: historyOf(payer), payee, nowMs }, step.amount)
  note(run, result)
  if (result.kind !== 'paid') return
  run.tally.set('allocated', (run.tally.get('allocated') ?? 0) + 1)
  payer.history.push({ payee, amount: step.amount, atMs: result.atMs })
}

/** Makes a payer the treasury of an organization of all wallets. */
export function foundAround({ stage, wallets }: LimitsRun, treasury: Uuid): Promise<void> {
  return organize(stage.database, treasury, wallets)
}

/** Returns the result in the form of a payment's. */
async function allocated({ database }: LimitsStage, work: Promise<Allocation>) {
  const line = parseId('txn', (await work).transaction_id)
  const [row] = await database.query<{ at: Date }>(`select posted_at as at from transfers where id = $1`, [
    line === null ? null : movementOf(line).movement,
  ])
  return { status: 'completed' as const, created_at: row?.at.toISOString() ?? '', from_balance: 0 }
}

export function allocationLayers(layers: PlainLayers): PlainLayers {
  const asked = { require_escrow_above_paise: null, require_human_approval_above_paise: null }
  return layers.map(([layer, controls]) => [
    layer,
    { ...controls, ...asked, allowed_payees: ['network'], blocked_payee_agents: [] },
  ])
}
