import {
  ANY_PAYEE,
  CONTROLS,
  LIMIT_CONTROLS,
  type LimitControl,
  type PolicyLayer,
  type PolicyWindow,
  THRESHOLD_CONTROLS,
  type ThresholdControl,
} from '@batua/contract'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, paise } from '../../kernel/money.ts'
import { lower, type SpendPolicy } from './controls.ts'

/** A limit of one layer: in paise, or a number of recipients. */
export interface Limit {
  readonly rule: LimitControl | 'budget_limit'
  readonly measures: 'amount' | 'amount_to_payee' | 'payees'
  readonly window: PolicyWindow
  readonly limit: bigint
}

/**
 * What one layer of an agent's policy sets, as decisions read it. Layers run from the most general to the agent's own;
 * the tightest limit applies.
 */
export interface Layer {
  readonly layer: PolicyLayer
  /** In the order of the controls. */
  readonly limits: readonly Limit[]
  readonly thresholds: Readonly<Record<ThresholdControl, Paise | null>>
  /** null: any active agent of the network. */
  readonly allowedPayees: ReadonlySet<Uuid> | null
  readonly blockedPayees: ReadonlySet<Uuid> | null
}

export function layerOf(layer: PolicyLayer, policy: SpendPolicy): Layer {
  const limits: Limit[] = []
  for (const control of LIMIT_CONTROLS) {
    const value = policy[control]
    if (value !== null) limits.push(limitOf(layer, control, BigInt(value)))
  }
  const thresholds = THRESHOLD_CONTROLS.map(control => [control, policy[control]])
  return {
    layer,
    limits,
    thresholds: Object.fromEntries(thresholds) as Layer['thresholds'],
    ...payeeListsOf(policy),
  }
}

/** A tier may measure a limit over another window. The only limit of an organization is its budget. */
function limitOf(layer: PolicyLayer, control: LimitControl, limit: bigint): Limit {
  const { measures, window, tier } = CONTROLS[control]
  return {
    rule: layer === 'org' ? 'budget_limit' : control,
    measures,
    window: layer === 'tier' ? (tier?.window ?? window) : window,
    limit,
  }
}

/** Payee lists as sets; null where every payee is allowed or none is blocked. */
export function payeeListsOf({
  allowed_payees: allowed,
  blocked_payee_agents: blocked,
}: SpendPolicy): Pick<Layer, 'allowedPayees' | 'blockedPayees'> {
  return {
    allowedPayees: allowed[0] === ANY_PAYEE ? null : new Set(allowed),
    blockedPayees: blocked.length === 0 ? null : new Set(blocked),
  }
}

/** The tightest limit of each kind over all layers. An amount that fits under these fits under every layer. */
export interface Ceiling {
  readonly perTxPaise: Paise | null
  readonly escrowPaise: Paise | null
  readonly approvalPaise: Paise | null
  readonly hourPaise: Paise | null
  /** For rolling 24 hours, as a tier counts a day. */
  readonly dayPaise: Paise | null
  readonly istDayPaise: Paise | null
  readonly istMonthPaise: Paise | null
  readonly perCounterpartyPaise: Paise | null
  readonly recipientsPerHour: number | null
}

export function ceilingOf(layers: readonly Layer[]): Ceiling {
  const recipients = tightest(layers, 'payees', 'last_hour')
  return {
    perTxPaise: tightest(layers, 'amount', 'payment'),
    escrowPaise: lowest(layers, 'require_escrow_above'),
    approvalPaise: lowest(layers, 'require_human_approval_above'),
    hourPaise: tightest(layers, 'amount', 'last_hour'),
    dayPaise: tightest(layers, 'amount', 'last_24_hours'),
    istDayPaise: tightest(layers, 'amount', 'ist_day'),
    istMonthPaise: tightest(layers, 'amount', 'ist_month'),
    perCounterpartyPaise: tightest(layers, 'amount_to_payee', 'ist_day'),
    recipientsPerHour: recipients === null ? null : Number(recipients),
  }
}

function lowest(layers: readonly Layer[], threshold: ThresholdControl): Paise | null {
  return layers.reduce<Paise | null>((least, { thresholds }) => lower(least, thresholds[threshold]), null)
}

function tightest(layers: readonly Layer[], measures: Limit['measures'], window: PolicyWindow): Paise | null {
  let least: Paise | null = null
  for (const { limits } of layers) {
    for (const each of limits) {
      if (each.measures === measures && each.window === window) least = lower(least, paise(each.limit))
    }
  }
  return least
}

/** Whether the payer's payments must be counted by counterparty. */
export function watchesCounterparties({ perCounterpartyPaise, recipientsPerHour }: Ceiling): boolean {
  return perCounterpartyPaise !== null || recipientsPerHour !== null
}
