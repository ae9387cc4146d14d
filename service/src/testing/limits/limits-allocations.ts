import type { Allocation } from '../../domains/payments/allocations/allocate.ts'
import { movementOf, parseId, type Uuid } from '../../kernel/ids.ts'
import { allocateOn, organize } from '../allocating.ts'
import { decidedMs, historyOf, layersOf, nodeAt, note, type Play, payerAt, walletAt } from './limits-play.ts'
import type { Payment } from './limits-program.ts'
import type { PlainLayers } from './limits-reference.ts'
import type { LimitsStage } from './limits-stage.ts'
import { answerOf, expectSame } from './limits-told.ts'

interface AllocationOrder extends Payment {
  readonly node: number
  readonly payer: number
}

/** An allocation is decided by the limits alone: no lists, no thresholds. */
export async function allocateStep(play: Play, step: AllocationOrder): Promise<void> {
  if (step.payee === step.payer) return
  const node = nodeAt(play, step.node)
  const payer = payerAt(play, step.payer)
  const payee = walletAt(play, step.payee)
  await foundAround(play, payer.id)
  const nowMs = await decidedMs(play, node, [payer.id, payee])
  const told = await answerOf(allocated(play.stage, allocateOn(node, payer.id, payee, step.amount)))
  const layers = allocationLayers(layersOf(payer))
  expectSame(told, { layers, history: historyOf(payer), payee, nowMs }, step.amount)
  note(play, told)
  if (told.kind !== 'paid') return
  play.tally.set('allocated', (play.tally.get('allocated') ?? 0) + 1)
  payer.history.push({ payee, amount: step.amount, atMs: told.atMs })
}

/** Makes a payer the treasury of an organization of all wallets. */
export function foundAround({ stage, wallets }: Play, treasury: Uuid): Promise<void> {
  return organize(stage.database, treasury, wallets)
}

/** Answered as a payment is. */
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
