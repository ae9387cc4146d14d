import { POLICY_LAYERS, type PolicyLayer } from '@batua/contract'
import type { AppError } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type ControlColumns, type Outcomes, order, outcomesOf } from '../builders.ts'
import { wholeTier } from './layers.ts'
import { limitsByScan, type PastPayment, type PlainLayers } from './limits-reference.ts'
import type { LimitsStage } from './limits-stage.ts'

export type Layers = Partial<Record<PolicyLayer, ControlColumns>>

/** Payments that are sent at once: the index of the payee, and the amount. */
export interface Race {
  readonly layers: Layers
  /** The payees, or the number of new ones. */
  readonly payees: number | readonly Uuid[]
  readonly payments: readonly { readonly payee: number; readonly amount: bigint }[]
}

export interface Raced extends Outcomes<object> {
  readonly payer: Uuid
  readonly payees: readonly Uuid[]
  /** The payments in the ledger afterwards, in the order of the payer's history. */
  readonly paid: readonly PastPayment[]
}

/**
 * Sends all payments at the same moment, alternating between the nodes, and again after each of these pauses; then reads
 * the result from the ledger.
 */
export async function raceLimits(
  stage: LimitsStage,
  race: Race,
  pausesMs: readonly number[] = [],
): Promise<Raced> {
  const payer = await stage.newPayer(race.layers)
  const payees =
    typeof race.payees === 'number'
      ? await Promise.all(Array.from({ length: race.payees }, stage.newPayee))
      : race.payees
  const done: object[] = []
  const refused: AppError[] = []
  for (const pauseMs of [0, ...pausesMs]) {
    for (const { clock } of stage.nodes) clock.advance(pauseMs)
    const works = race.payments.map(({ payee, amount }, at) =>
      (stage.nodes[at % 2] ?? stage.nodes[0]).pay(order(payer, payees[payee] ?? null, amount)),
    )
    const outcomes = await outcomesOf(works)
    done.push(...outcomes.done)
    refused.push(...outcomes.refused)
  }
  return { done, refused, payer, payees, paid: await paidFrom(stage, payer) }
}

async function paidFrom({ database }: LimitsStage, payer: Uuid): Promise<PastPayment[]> {
  const rows = await database.query<{ payee: Uuid; amount: bigint; posted_at: Date }>(
    `select credit_account as payee, amount_paise as amount, posted_at from transfers
     where debit_account = $1 order by debit_sequence`,
    [payer],
  )
  return rows.map(({ payee, amount, posted_at }) => ({ payee, amount, atMs: posted_at.getTime() }))
}

/** Every limit that the ledger exceeds, by one paisa or one recipient, found by a scan as of each payment. */
export function brokenLimits(layers: Layers, paid: readonly PastPayment[]): string[] {
  const plain: PlainLayers = POLICY_LAYERS.flatMap(layer => {
    const controls = layer === 'tier' ? wholeTier(layers.tier ?? {}) : layers[layer]
    return controls === undefined ? [] : [[layer, controls] as const]
  })
  return paid.flatMap((_, at) => brokenByLast(plain, paid.slice(0, at + 1)))
}

/** Every limit that the last payment of a history exceeds. */
export function brokenByLast(layers: PlainLayers, history: readonly PastPayment[]): string[] {
  const last = history.at(-1)
  if (last === undefined) return []
  const { payee, amount, atMs } = last
  const over = limitsByScan({ layers, history, payee, nowMs: atMs }).filter(({ rule, limit, used }) => {
    return rule === 'spend_limit_per_tx' ? Number(amount) > limit : (used ?? 0) > limit
  })
  const unescrowed = layers.filter(([, { require_escrow_above_paise: above }]) => amount > (above ?? amount))
  return [
    ...over.map(({ layer, rule, limit, used }) => `${layer} ${rule}: ${used} of ${limit}`),
    ...unescrowed.map(([layer]) => `${layer} require_escrow_above: ${amount}`),
  ]
}
