import type { AgentStatus, SettlementSkipReason } from '@batua/contract'
import { type Paise, paise } from '../../../kernel/money.ts'
import { isBlocked } from '../payouts/decide.ts'

/** Less is left alone by the runs: the owner may withdraw it, to the last paisa. */
const MIN_SETTLEMENT_PAISE = paise(100n)

/** What a run looks at in a wallet. */
export interface WalletFacts {
  readonly status: AgentStatus
  /** Whether the owner has a verified bank account. */
  readonly hasAccount: boolean
  readonly balancePaise: Paise
  /** All that came in since the first day that is too young to be settled. */
  readonly youngPaise: Paise
}

export type Decision =
  | { readonly kind: 'pay' }
  | { readonly kind: 'skip'; readonly reason: SettlementSkipReason }
  | { readonly kind: 'not_due' }

/**
 * Whether a wallet is paid out, whole. Spending takes the oldest money first, so what is left is what came in last:
 * there is old money in it exactly when it holds more than all that came in since. Of a deactivated agent everything is
 * due.
 */
export function decideSettlement(facts: WalletFacts): Decision {
  const { status, hasAccount, balancePaise, youngPaise } = facts
  if (balancePaise <= 0n) return { kind: 'not_due' }
  if (status !== 'deactivated' && balancePaise <= youngPaise) return { kind: 'not_due' }
  if (isBlocked(status)) return skip(status === 'frozen' ? 'agent_frozen' : 'agent_quarantined')
  if (!hasAccount) return skip('no_verified_bank_account')
  if (balancePaise < MIN_SETTLEMENT_PAISE) return skip('below_minimum')
  return { kind: 'pay' }
}

function skip(reason: SettlementSkipReason): Decision {
  return { kind: 'skip', reason }
}
