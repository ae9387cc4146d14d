import type { EscrowAutoAction, EscrowStatus } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** Which escrow: the payer's id leads, because it says where the row lives. */
export interface EscrowKey {
  readonly agentId: Uuid
  readonly id: Uuid
}

/** Whom a hold names: the recipient, the one who attests. */
export interface Named {
  readonly toAgentId: Uuid | null
  readonly attestorId: Uuid | null
}

/** What becomes of a hold that nobody ends. */
export interface Terms {
  /** How long it waits from the moment of the hold; null: for ever. */
  readonly timeoutMs: number | null
  readonly autoAction: EscrowAutoAction | null
}

/** What is to be set aside, parsed: money in paise, agents resolved. */
export interface HoldIntent extends Named, Terms {
  readonly payerId: Uuid
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly idempotencyKey: string | null
}

/** Money that waits, or waited; the id is that of the transfer into escrow. */
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
  /** When the timeout is tried next; null: never. */
  readonly nextTryAt: Date | null
}

/** Whether the payee is named at the release: the hold was made for nobody, or for its attestor, and another gets it. */
export function isNamedAtRelease({ toAgentId, attestorId }: Named, payeeId: Uuid): boolean {
  return toAgentId === null && attestorId !== payeeId
}

/** The agent that the money is meant for: the recipient that was named, else the attestor, else nobody yet. */
export function meantFor({ toAgentId, attestorId }: Named): Uuid | null {
  return toAgentId ?? attestorId
}

/** The agent that has the money, or that it is meant for. */
export function payeeOf(escrow: Escrow): Uuid | null {
  return escrow.releasedTo ?? meantFor(escrow)
}
