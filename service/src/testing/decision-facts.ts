import type { PolicyLayer } from '@batua/contract'
import { type AgentFacts, NEVER_STOPPED } from '../domains/limits/agent-facts.ts'
import { OPEN_POLICY, type SpendPolicy } from '../domains/limits/controls.ts'
import { ceilingOf, type Layer, layerOf } from '../domains/limits/layers.ts'
import type { PolicyFacts } from '../domains/limits/limit-usage.ts'
import { paise } from '../kernel/money.ts'
import { hashSecret } from '../kernel/secrets.ts'
import { WINDOW_MS } from '../ledger/index.ts'
import { nothingSpent } from './accounts.ts'

export const KEY_HASH = hashSecret('key')

/** An active agent without controls. */
export function agentFacts(id: string, more: Partial<AgentFacts> = {}): AgentFacts {
  return {
    id,
    platformId: id,
    ownerId: id,
    status: 'active',
    blockedAs: null,
    stops: NEVER_STOPPED,
    keyHash: KEY_HASH,
    layers: [],
    ceiling: ceilingOf(more.layers ?? []),
    policyVersion: 'a version',
    policySinceMs: null,
    ...more,
  }
}

/** A layer with these controls alone. */
export function layerWith(name: PolicyLayer, controls: Partial<SpendPolicy>): Layer {
  return layerOf(name, { ...OPEN_POLICY, ...controls })
}

/** Ten minutes after the last payment: 10 INR spent in the hour, 20 in 24 hours, 30 today, 40 this month. */
export function spentFacts(
  nowMs: number,
  amount: bigint,
  layers: readonly Layer[],
  more: Partial<PolicyFacts> = {},
): PolicyFacts {
  const lastSpentMs = nowMs - 600_000
  return {
    layers,
    amountPaise: paise(amount),
    spending: {
      ...nothingSpent(nowMs),
      lastSpentMs,
      hourSpentPaise: paise(1_000n),
      daySpentPaise: paise(2_000n),
      istDaySpentPaise: paise(3_000n),
      istMonthSpentPaise: paise(4_000n),
    },
    counterparty: null,
    escrowApplies: true,
    nowMs,
    fitsAgainMs: window => lastSpentMs + WINDOW_MS[window],
    ...more,
  }
}
