import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { type Approval, MADE, madeBy } from './approval.ts'

/** How long an owner has to decide (interface section 8). */
export const APPROVAL_MS = DAY_MS

type LimitUsage = Pick<Approval, 'status' | 'expiresAt' | 'decidedAt'>

/** The status of an approval at a moment: it expires at its time, whenever the job writes that down. */
export function statusAt<Row extends LimitUsage>(approval: Row, nowMs: number): Row {
  if (approval.status !== 'pending_approval' || approval.expiresAt.getTime() > nowMs) return approval
  return { ...approval, status: 'expired', decidedAt: approval.expiresAt }
}

/** Only an approval that still waits can be decided. */
export function decideOpen(approval: Approval | undefined, nowMs: number): Refusal | Approval {
  if (approval === undefined) return refuse('not_found', 'There is no approval with this id')
  const { id, status, kind, madeId } = statusAt(approval, nowMs)
  if (status === 'pending_approval') return approval
  const details = { approval_id: formatId('apr', id), status }
  if (status === 'approved') {
    const made = madeId === null ? {} : madeBy(kind, madeId)
    const message = `This approval was already approved and carried out: details.${MADE[kind].field} names what was made`
    return refuse('conflict', message, { details: { ...details, ...made } })
  }
  const happened = status === 'expired' ? 'has expired' : 'was already rejected'
  return refuse('conflict', `This approval ${happened}; the agent can ask again`, { details })
}
