import { formatId } from '../../kernel/ids.ts'
import { type Act, type Actor, type Facts, service } from '../../operations/act.ts'
import type { NewEvent } from '../../operations/event.ts'
import type { Alert } from './alerts-store.ts'

const RULES = service('risk rules')

/**
 * The entry is in no agent's trail: an agent would learn from it which threshold to stay below. A quarantine by an
 * administrator is recorded in the agent's trail as usual.
 */
export function openedAct(alert: Alert): Act {
  const { severity, score, evidence } = alert
  return alertAct(RULES, 'risk.alert_opened', alert, { severity, score, evidence })
}

export function reviewedAct(actor: Actor, alert: Alert, quarantined: boolean): Act {
  const { status, note } = alert
  return alertAct(actor, 'risk.alert_reviewed', alert, {
    status: { from: 'open', to: status },
    note,
    quarantined,
  })
}

function alertAct(
  actor: Actor,
  action: 'risk.alert_opened' | 'risk.alert_reviewed',
  { id, agentId, platformId, rule }: Alert,
  facts: Facts,
): Act {
  const subject = {
    agent_id: agentId === null ? null : formatId('agt', agentId),
    platform_id: platformId === null ? null : formatId('plt', platformId),
    rule,
  }
  return { agentId: null, actor, action, target: formatId('alr', id), data: { ...subject, ...facts } }
}

/** The event has no evidence: an agent would learn from it which threshold to stay below. */
export function openedEvents({ id, agentId, platformId, rule, severity, score }: Alert): NewEvent[] {
  // An alert about the service itself concerns no platform.
  if (platformId === null) return []
  const data = {
    alert_id: formatId('alr', id),
    agent_id: agentId === null ? null : formatId('agt', agentId),
    rule,
    severity,
    score,
  }
  return [{ name: 'risk.alert.opened', data, ...(agentId === null ? { platformId } : { agentId }) }]
}
