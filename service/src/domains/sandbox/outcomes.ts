import type { SandboxOutcome } from '@batua/contract'
import type { FundingState } from '../banking/index.ts'

/** `decline` exists only on the page: an attempt that fails and leaves the session open for another. */
export type SimulatedOutcome = SandboxOutcome | 'decline'

const PAYING = [
  'success',
  'duplicate',
  'late',
  'out_of_order',
  'unnotified',
  'late_notice',
  'reserialised',
  'rotated_secret',
  'double_payment',
  'refund_pending',
  'refund_failed',
] as const
/** None of these moves money of the session. */
const IDLE = ['forged', 'unknown_type', 'unknown_order'] as const
const WRONG = ['wrong_amount', 'wrong_currency'] as const
const ATTEMPTS = ['failure', 'decline', 'expire', 'drop', 'pending', 'flagged'] as const
const REPEATED = ['duplicate', 'out_of_order', 'double_payment', 'refund_pending', 'refund_failed'] as const

/** What can still happen to a session in each state. Money can arrive for a session that has failed: it is refunded. */
export const POSSIBLE: Record<FundingState, readonly SimulatedOutcome[]> = {
  pending: [...PAYING, ...ATTEMPTS, ...IDLE, ...WRONG],
  failed: [...PAYING, ...IDLE, ...WRONG],
  completed: [...REPEATED, ...IDLE, 'chargeback', 'chargeback_created', 'chargeback_won'],
  reversed: [...REPEATED, ...IDLE],
}
