import type { PolicyLayer, PolicyWindow, ThresholdControl } from '@batua/contract'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Layer, Limit } from '../layers.ts'
import { affordable, leftTo, type Payer, payableGroups, rulesOf, undecided } from './payer.ts'

/** What keeps a payer from paying more: its balance, its status, or a control of a layer. */
export type Bound =
  | { readonly rule: 'balance' | 'status'; readonly layer: null }
  | {
      readonly rule: Limit['rule'] | ThresholdControl | 'allowed_payees' | 'blocked_payee_agents'
      readonly layer: PolicyLayer
    }

/** The layer whose list leaves no payee that can be paid; null: there is one. */
function listBound(layers: readonly Layer[], receivers: readonly Uuid[]): Bound | null {
  let payees = receivers
  let isNetwork = true
  for (const { layer, allowedPayees, blockedPayees } of layers) {
    if (allowedPayees !== null) {
      isNetwork = false
      payees = payees.filter(id => allowedPayees.has(id))
    }
    if (!isNetwork && payees.length === 0) return { rule: 'allowed_payees', layer }
    if (blockedPayees !== null) payees = payees.filter(id => !blockedPayees.has(id))
    if (!isNetwork && payees.length === 0) return { rule: 'blocked_payee_agents', layer }
  }
  return null
}

/** The first limit on amounts with nothing left; the general layers come first. */
function sumBound(layers: readonly Layer[], spentIn: (window: PolicyWindow) => bigint): Bound | null {
  for (const { layer, limits } of layers) {
    for (const { rule, measures, window, limit } of limits) {
      if (measures === 'amount' && spentIn(window) >= limit) return { rule, layer }
    }
  }
  return null
}

/** The first layer that lets nothing pass a threshold. */
function thresholdBound(layers: readonly Layer[], rule: ThresholdControl): Bound | null {
  const found = layers.find(({ thresholds }) => thresholds[rule] === 0n)
  return found === undefined ? null : { rule, layer: found.layer }
}

/** The first layer with the tightest limit on payees of this kind. */
function payeeBound(layers: readonly Layer[], measures: 'amount_to_payee' | 'payees'): Bound | null {
  let tightest: { readonly bound: Bound; readonly limit: bigint } | null = null
  for (const { layer, limits } of layers) {
    for (const { rule, measures: measured, limit } of limits) {
      if (measured !== measures || (tightest !== null && tightest.limit <= limit)) continue
      tightest = { bound: { rule, layer }, limit }
    }
  }
  return tightest?.bound ?? null
}

/** What refuses the payer one paisa more, in the order of the decision. */
export function boundOf(payer: Payer): Bound {
  const { layers } = rulesOf(payer)
  const receivers = payer.facts.payees.filter(({ canReceive }) => canReceive).map(({ id }) => id)
  const general =
    listBound(layers, receivers) ??
    sumBound(layers, window => payer.spent.in(window)) ??
    thresholdBound(layers, 'require_escrow_above')
  if (general !== null) return general
  if (affordable(payer, 1n) === 0n) return { rule: 'balance', layer: null }
  const asking = payableGroups(payer).filter(group => undecided(payer, group) !== 0n)
  const isFull = asking.some(group => leftTo(payer, group) !== 0n)
  const bound =
    asking.length === 0
      ? thresholdBound(layers, 'require_human_approval_above')
      : payeeBound(layers, isFull ? 'payees' : 'amount_to_payee')
  assert(bound !== null, 'a payer that can pay nothing more is bound by something')
  return bound
}
