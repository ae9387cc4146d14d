import type { PaymentResult } from '@batua/contract'
import type { Refund } from '../../domains/payments/refund.ts'
import { AppError } from '../../kernel/app-error.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import type { Transfer } from '../../ledger/index.ts'
import {
  balanceIn,
  decideModelPayment,
  decideModelRefund,
  limitExceeded,
  type Model,
  type ModelAgent,
  type ModelOutcome,
  type ModelPayment,
  type ModelRefund,
  type ModelTransfer,
  type Refused,
  refundedIn,
  totalsIn,
} from './wallet-model.ts'

/** A payer's request. */
export type Asked =
  | { readonly kind: 'fund'; readonly wallet: string; readonly amount: bigint }
  | { readonly kind: 'payment'; readonly payment: ModelPayment }
  | { readonly kind: 'refund'; readonly refund: ModelRefund }

/** Its result. */
export interface Observed {
  readonly asked: Asked
  readonly outcome: PaymentResult | Refund | Transfer | AppError
}

/** A transfer in the ledger, with its sequence in the history of each side. */
export interface Posted extends ModelTransfer {
  readonly fromSequence: bigint | null
  readonly toSequence: bigint
  readonly fromBalance: bigint | null
  readonly toBalance: bigint
}

/** A change of an agent that ran concurrently with the commands of a round. */
export interface Beside {
  readonly id: string
  readonly agent: ModelAgent
}

export function withAgent(model: Model, { id, agent }: Beside): Model {
  return { ...model, agents: new Map([...model.agents, [id, agent]]) }
}

export function transferIdOf(outcome: Observed['outcome']): string | null {
  if (outcome instanceof AppError) return null
  if ('refund_id' in outcome) return parseId('rfd', outcome.refund_id)
  if ('cost' in outcome) return outcome.payment_id === null ? null : parseId('pay', outcome.payment_id)
  return outcome.id
}

/**
 * Finds a serial order in which the model gives every result. The ledger's sequences order the transfers; the concurrent
 * change may have happened at any point between them, and a refusal at any moment.
 */
export function explainRound(
  model: Model,
  observed: readonly Observed[],
  posted: readonly Posted[],
  beside: Beside | null,
  nowMs: number,
): Model {
  const order = serialOrder(posted)
  const problems: string[] = []
  for (let changedAt = 0; changedAt <= (beside === null ? 0 : order.length); changedAt++) {
    const replayed = replay({ model, observed, order, beside, changedAt, nowMs })
    if (typeof replayed !== 'string') return replayed
    problems.push(replayed)
  }
  throw new Error(`no serial order explains the results:\n${[...new Set(problems)].join('\n')}`)
}

/** The transfers in an order that follows each wallet's sequences. */
function serialOrder(posted: readonly Posted[]): Posted[] {
  const waiting = new Set(posted)
  const order: Posted[] = []
  while (waiting.size > 0) {
    const next = [...waiting].find(each => ![...waiting].some(other => precedes(other, each)))
    if (next === undefined) throw new Error('the sequences of the ledger allow no serial order')
    waiting.delete(next)
    order.push(next)
  }
  return order
}

function precedes(left: Posted, right: Posted): boolean {
  return sidesOf(left).some(a => sidesOf(right).some(b => a.wallet === b.wallet && a.sequence < b.sequence))
}

function sidesOf(transfer: Posted): { wallet: string; sequence: bigint }[] {
  const sides = [{ wallet: transfer.to, sequence: transfer.toSequence }]
  if (transfer.from !== null) sides.push({ wallet: transfer.from, sequence: transfer.fromSequence ?? -1n })
  return sides
}

interface Replay {
  readonly model: Model
  readonly observed: readonly Observed[]
  readonly order: readonly Posted[]
  readonly beside: Beside | null
  readonly changedAt: number
  readonly nowMs: number
}

/** The model after the round, or the results that it cannot explain. */
function replay({ model, observed, order, beside, changedAt, nowMs }: Replay): Model | string {
  const done = new Map(observed.map(each => [transferIdOf(each.outcome), each]))
  let unexplained = observed.filter(({ outcome }) => outcome instanceof AppError)
  let state = model
  // A changed policy decides from the millisecond after the last payment on, and with it every command of its batch.
  const times = beside === null ? [nowMs] : [nowMs, nowMs + 1]
  for (let at = 0; ; at++) {
    if (at === changedAt && beside !== null) state = withAgent(state, beside)
    const moments =
      beside === null ? [state] : [state, withAgent(state, beside), withAgent(state, oldOf(model, beside))]
    unexplained = unexplained.filter(
      each => !moments.some(moment => times.some(ms => refusalFits(moment, each, ms) === null)),
    )
    const transfer = order[at]
    if (transfer === undefined) break
    const responded = done.get(transfer.id)
    const problem =
      responded === undefined
        ? 'a transfer of nobody'
        : doneFits(state, responded, transfer, times.includes(transfer.postedMs) ? transfer.postedMs : nowMs)
    if (problem !== null) return problem
    state = { ...state, history: [...state.history, transfer] }
  }
  if (done.size - (done.has(null) ? 1 : 0) !== order.length)
    return 'not every payment that was reported as done is in the ledger'
  const [first] = unexplained
  return first === undefined ? state : (refusalFits(state, first, nowMs) ?? 'a refusal')
}

function oldOf(model: Model, { id }: Beside): Beside {
  const agent = model.agents.get(id)
  if (agent === undefined) throw new Error('a change is of an agent of the model')
  return { id, agent }
}

function decide(model: Model, asked: Asked, nowMs: number): ModelOutcome {
  switch (asked.kind) {
    case 'fund':
      return { kind: 'done', amount: asked.amount, fee: 0n }
    case 'payment':
      return decideModelPayment(model, asked.payment, nowMs)
    case 'refund':
      return decideModelRefund(model, asked.refund)
  }
}

/** null: the model would do the same now. */
function doneFits(
  model: Model,
  { asked, outcome }: Observed,
  transfer: Posted,
  nowMs: number,
): string | null {
  const decided = decide(model, asked, nowMs)
  if (decided.kind === 'refused') return differs('done, but the model refuses', { asked, decided })
  const after = { ...model, history: [...model.history, transfer] }
  const expected = {
    ...{ amount: decided.amount, fee: decided.fee, postedMs: nowMs },
    fromBalance: transfer.from === null ? null : balanceIn(after, transfer.from),
    toBalance: balanceIn(after, transfer.to),
    fromSequence: transfer.from === null ? null : totalsIn(after, transfer.from).sequence,
    toSequence: totalsIn(after, transfer.to).sequence,
    ...sidesAsked(asked),
  }
  const posted = transfer as unknown as Record<string, unknown>
  const wrong = Object.entries(expected).filter(([field, value]) => posted[field] !== value)
  if (wrong.length > 0) return differs('done otherwise than the model', { asked, transfer, expected })
  return responseFits(after, outcome, transfer)
}

function sidesAsked(asked: Asked): Partial<ModelTransfer> {
  switch (asked.kind) {
    case 'fund':
      return { kind: 'fund', from: null, to: asked.wallet }
    case 'payment': {
      const { payer, payee, key, reference } = asked.payment
      return { kind: 'payment', from: payer, to: payee ?? '', key, reference, refunds: null }
    }
    case 'refund': {
      const { payment, key } = asked.refund
      return { kind: 'refund', from: payment.to, to: payment.from ?? '', key, refunds: payment.id }
    }
  }
}

/** null: the result matches the transfer. */
function responseFits(after: Model, outcome: Observed['outcome'], transfer: Posted): string | null {
  if (outcome instanceof AppError || 'debitAccount' in outcome) return null
  const expected: Record<string, unknown> =
    'refund_id' in outcome
      ? {
          payment_id: formatId('pay', transfer.refunds ?? ''),
          amount: Number(transfer.amount) / 100,
          refunded_total: Number(refundedIn(after, transfer.refunds ?? '')) / 100,
        }
      : {
          status: 'completed',
          from_balance: Number(transfer.fromBalance) / 100,
          cost: Number(transfer.fee) / 100,
          created_at: new Date(transfer.postedMs).toISOString(),
        }
  const reported: Record<string, unknown> = { ...outcome }
  const wrong = Object.keys(expected).filter(field => reported[field] !== expected[field])
  return wrong.length === 0 ? null : differs('reported otherwise than done', { outcome, expected })
}

/** null: the model would give the same refusal now. */
function refusalFits(model: Model, { asked, outcome }: Observed, nowMs: number): string | null {
  if (!(outcome instanceof AppError)) return null
  const decided = decide(model, asked, nowMs)
  const refusal = { code: outcome.code, details: outcome.details }
  if (decided.kind === 'done') return differs('refused, but the model does it', { asked, refusal })
  const problem = differs('refused otherwise than the model', { asked, refusal, decided })
  if (decided.code !== outcome.code) return problem
  const { retry_at: retryAt, policy_version: _, ...details } = outcome.details ?? {}
  if (decided.details !== null && !decided.details.some(each => same(wireDetails(each), details)))
    return problem
  if (retryFits(model, asked, decided, retryAt, nowMs)) return null
  return differs('the response says to try again, which cannot succeed', {
    asked,
    refusal,
    decided,
    now: new Date(nowMs),
  })
}

/** Public ids. */
function wireDetails({ payment, refund, ...details }: Record<string, unknown>): Record<string, unknown> {
  return {
    ...details,
    ...(typeof payment === 'string' ? { payment_id: formatId('pay', payment) } : {}),
    ...(typeof refund === 'string' ? { refund_id: formatId('rfd', refund) } : {}),
  }
}

function same(left: Record<string, unknown>, right: Record<string, unknown>): boolean {
  const fields = Object.keys(left)
  return fields.length === Object.keys(right).length && fields.every(field => left[field] === right[field])
}

/** `retry_at` is set if waiting helps, and at that moment the limits allow the same payment. */
function retryFits(model: Model, asked: Asked, decided: Refused, retryAt: unknown, nowMs: number): boolean {
  if (decided.waitingHelps !== true) return retryAt === undefined
  if (typeof retryAt !== 'string' || asked.kind !== 'payment') return false
  const { payer, payee, amount } = asked.payment
  const retryMs = Date.parse(retryAt)
  return retryMs > nowMs && limitExceeded(model, payer, payee ?? '', amount, retryMs) === null
}

function differs(how: string, what: object): string {
  return `${how}: ${JSON.stringify(what, (_key, value: unknown) => (typeof value === 'bigint' ? `${value}` : value), 2)}`
}
