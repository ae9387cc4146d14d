import { type LimitLayer, POLICY_LAYERS } from '@batua/contract'
import type { AppError } from '../../kernel/app-error.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type AppCaps, connectApp } from '../apps.ts'
import { type ControlColumns, type Outcomes, order, outcomesOf } from '../builders.ts'
import { BOUNDLESS, wholeTier } from './layers.ts'
import { limitsByScan, type PastPayment, type PlainApp, type PlainLayers } from './limits-reference.ts'
import type { LimitsStage } from './limits-stage.ts'

export type Layers = Partial<Record<LimitLayer, ControlColumns>>

/** Payments that are sent at once: the index of the payee, the amount, and whether an app asks, if the race has one. */
export interface Race {
  readonly layers: Layers
  /** The payees, or the number of new ones. */
  readonly payees: number | readonly Uuid[]
  readonly payments: readonly {
    readonly payee: number
    readonly amount: bigint
    readonly isByApp?: boolean
  }[]
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
  const { app: cap } = race.layers
  const app = cap === undefined ? null : await connectApp(stage.nodes[0], payer, capOf(cap))
  const payees =
    typeof race.payees === 'number'
      ? await Promise.all(Array.from({ length: race.payees }, stage.newPayee))
      : race.payees
  const done: object[] = []
  const refused: AppError[] = []
  for (const pauseMs of [0, ...pausesMs]) {
    for (const { clock } of stage.nodes) clock.advance(pauseMs)
    const works = race.payments.map(({ payee, amount, isByApp = false }, at) =>
      (stage.nodes[at % 2] ?? stage.nodes[0]).pay(
        order(payer, payees[payee] ?? null, amount, { app: isByApp ? app : null }),
      ),
    )
    const outcomes = await outcomesOf(works)
    done.push(...outcomes.done)
    refused.push(...outcomes.refused)
  }
  return { done, refused, payer, payees, paid: await paidFrom(stage, payer) }
}

function capOf(controls: ControlColumns): AppCaps {
  const { spend_limit_per_tx_paise: perTx, spend_limit_daily_paise: daily } = controls
  return { perTx: perTx ?? BOUNDLESS, daily: daily ?? BOUNDLESS }
}

async function paidFrom({ database }: LimitsStage, payer: Uuid): Promise<PastPayment[]> {
  const rows = await database.query<{ payee: Uuid; amount: bigint; posted_at: Date; app: Uuid | null }>(
    `select credit_account as payee, amount_paise as amount, posted_at, linked_id as app from transfers
     where debit_account = $1 order by debit_sequence`,
    [payer],
  )
  return rows.map(({ payee, amount, posted_at, app }) => ({
    ...{ payee, amount, atMs: posted_at.getTime() },
    ...(app !== null && { app }),
  }))
}

/** Every limit that the ledger exceeds, by one paisa or one recipient, found by a scan as of each payment. */
export function brokenLimits(layers: Layers, paid: readonly PastPayment[]): string[] {
  const plain: PlainLayers = POLICY_LAYERS.flatMap(layer => {
    const controls = layer === 'tier' ? wholeTier(layers.tier ?? {}) : layers[layer]
    return controls === undefined ? [] : [[layer, controls] as const]
  })
  return paid.flatMap(({ app: id }, at) => {
    const app =
      id === undefined ? null : { id, controls: layers.app ?? {}, untilMs: Number.POSITIVE_INFINITY }
    return brokenByLast(plain, paid.slice(0, at + 1), app)
  })
}

/** Every limit that the last payment of a history exceeds; `app` made it, or the agent itself. */
export function brokenByLast(
  layers: PlainLayers,
  history: readonly PastPayment[],
  app: PlainApp | null = null,
): string[] {
  const last = history.at(-1)
  if (last === undefined) return []
  const { payee, amount, atMs } = last
  const over = limitsByScan({ layers, history, payee, nowMs: atMs, app }).filter(({ rule, limit, used }) => {
    return rule === 'spend_limit_per_tx' ? Number(amount) > limit : (used ?? 0) > limit
  })
  const unescrowed = layers.filter(([, { require_escrow_above_paise: above }]) => amount > (above ?? amount))
  return [
    ...over.map(({ layer, rule, limit, used }) => `${layer} ${rule}: ${used} of ${limit}`),
    ...unescrowed.map(([layer]) => `${layer} require_escrow_above: ${amount}`),
  ]
}
