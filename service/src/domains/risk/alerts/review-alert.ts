import type { BodyOf, reviewRiskAlert } from '@batua/contract'
import { type Refusal, raise, refuse } from '../../../kernel/app-error.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import type { RiskContext } from '../context.ts'
import { reviewedFact } from './facts.ts'
import { alertNotFound } from './read-alert.ts'
import { type Alert, type Review, selectAlert, updateReviewed } from './store.ts'

type ReviewRequest = BodyOf<typeof reviewRiskAlert>

export interface ReviewPlan {
  readonly kind: 'review'
  readonly status: Review['status']
  /** The agent to quarantine in the same commit; null: none. */
  readonly quarantine: Uuid | null
}

/** Decides a review: the request must be valid and the alert open. */
export function decideReview(
  alert: Pick<Alert, 'agentId' | 'status'>,
  { decision, action }: ReviewRequest,
): Refusal | ReviewPlan {
  if (action !== undefined && decision !== 'confirm') {
    return refuse('validation_error', 'An action goes only with the decision confirm', { field: 'action' })
  }
  if (action !== undefined && alert.agentId === null) {
    return refuse(
      'validation_error',
      'This alert is about no agent, and nothing else can be quarantined; leave action out',
      { field: 'action' },
    )
  }
  if (alert.status !== 'open') return notOpen(alert.status)
  return {
    kind: 'review',
    status: decision === 'confirm' ? 'confirmed' : 'dismissed',
    quarantine: action === undefined ? null : alert.agentId,
  }
}

function notOpen(status: Alert['status']): Refusal {
  return refuse('conflict', `This alert is ${status} already; only an open alert can be reviewed`, {
    details: { status },
  })
}

/**
 * Closes an alert. If that quarantines the agent, this waits until earlier payments of the agent on this node have been
 * answered: after the response, no payment of the agent succeeds.
 */
export async function reviewAlert(
  context: RiskContext,
  actor: Actor,
  alertRef: string,
  request: ReviewRequest,
): Promise<Alert> {
  const reviewed = await closeAlert(context, actor, parseId('alr', alertRef), request)
  if (request.action !== undefined && reviewed.agentId !== null) {
    await context.ledger.awaitCommits([reviewed.agentId])
  }
  return reviewed
}

/**
 * Locks the account before the alert's row, as the lock order demands, so the quarantine comes first. Only one review
 * can close the alert; if this one does not, the quarantine is rolled back too.
 */
function closeAlert(
  { database, clock, vault, quarantine }: RiskContext,
  actor: Actor,
  id: Uuid | null,
  request: ReviewRequest,
): Promise<Alert> {
  const now = clock.now()
  return database.inTransaction(async tx => {
    const alert = id === null ? null : await selectAlert(tx, id)
    if (alert === null) throw alertNotFound()
    const plan = decideReview(alert, request)
    if (plan.kind === 'refusal') raise(plan)
    if (plan.quarantine !== null) await quarantine(tx, plan.quarantine, { actor, vault, now })
    const reviewed = await updateReviewed(tx, alert.id, {
      status: plan.status,
      note: request.note?.normalize('NFC') ?? null,
      reviewedAt: now,
    })
    if (reviewed !== null) {
      await recordFacts(tx, vault, now, [reviewedFact(actor, reviewed, plan.quarantine !== null)])
      return reviewed
    }
    const winner = await selectAlert(tx, alert.id)
    return raise(notOpen(winner?.status ?? 'dismissed'))
  })
}
