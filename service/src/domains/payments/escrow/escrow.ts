import type { EscrowAutoAction, EscrowStatus, PaymentContext } from '@batua/contract'
import type { AppIdentity } from '../../../http/caller.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** The key of an escrow. The payer's id comes first, because the row is stored by it. */
export interface EscrowKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** The agents that a hold names: the recipient and the attestor. */
export interface Named {
  readonly toAgentId: Uuid | null
  readonly attestorId: Uuid | null
}

/** The action when the timeout is reached. */
export interface Terms {
  /** The time from the hold to the timeout; null: no timeout. */
  readonly timeoutMs: number | null
  readonly autoAction: EscrowAutoAction | null
}

/** The requested hold, parsed: money in paise, agents resolved. */
export interface HoldIntent extends Named, Terms {
  readonly payerId: Uuid
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly idempotencyKey: string | null
  /** The text under which earlier releases stored the key. */
  readonly formerKey: string | null
  /** Why the agent spends. It is no term of the hold. */
  readonly context: PaymentContext | null
  /** The app that holds for the payer; null: none does. */
  readonly app: AppIdentity | null
}

/** Money in escrow, or that was in escrow; the id is that of the transfer into escrow. */
export interface Escrow extends EscrowKey, Named {
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly status: EscrowStatus
  readonly autoAction: EscrowAutoAction | null
  readonly expiresAt: Date | null
  readonly releasedTo: Uuid | null
  readonly createdAt: Date
  readonly resolvedAt: Date | null
  /** The payer's sequence at the hold. */
  readonly holdSequence: bigint
  /** The app that made the hold; null: none did. */
  readonly appId: Uuid | null
  /** When the timeout is tried next; null: never. */
  readonly nextTryAt: Date | null
}

/**
 * Whether the payee is named at the release: the hold named no agent, or its attestor, and another agent gets the
 * money.
 */
export function isNamedAtRelease({ toAgentId, attestorId }: Named, payeeId: Uuid): boolean {
  return toAgentId === null && attestorId !== payeeId
}

/** The agent that the money is meant for: the named recipient, else the attestor, else none yet. */
export function meantFor({ toAgentId, attestorId }: Named): Uuid | null {
  return toAgentId ?? attestorId
}

/** The agent that received the money, or that it is meant for. */
export function payeeOf(escrow: Escrow): Uuid | null {
  return escrow.releasedTo ?? meantFor(escrow)
}
