import { formatId } from '../../../kernel/ids.ts'
import type { NewEvent } from '../../../operations/event.ts'
import { type Actor, type Fact, type FactData, service } from '../../../operations/facts.ts'
import type { Alert } from './store.ts'

const RULES = service('risk rules')

/**
 * The entry is in no agent's trail, and the event has no evidence: an agent would learn from them which threshold to stay
 * below. A quarantine by an administrator is recorded in the agent's trail as usual.
 */
export function openedFact(alert: Alert): Fact {
  const { severity, score, evidence } = alert
  const fact = alertFact(RULES, 'risk.alert_opened', alert, { severity, score, evidence })
  return { ...fact, events: openedEvents(alert) }
}

function openedEvents(alert: Alert): NewEvent[] {
  const { id, agentId, platformId, severity, score } = alert
  // An alert about the service itself concerns no platform.
  if (platformId === null) return []
  const data = {
    alert_id: formatId('alr', id),
    agent_id: agentId === null ? null : formatId('agt', agentId),
    rule: alert.rule,
    severity,
    score,
  }
  return [{ name: 'risk.alert.opened', data, ...(agentId === null ? { platformId } : { agentId }) }]
}

export function reviewedFact(actor: Actor, alert: Alert, quarantined: boolean): Fact {
  const { status, note } = alert
  return alertFact(actor, 'risk.alert_reviewed', alert, {
    status: { from: 'open', to: status },
    note,
    quarantined,
  })
}

function alertFact(
  actor: Actor,
  action: 'risk.alert_opened' | 'risk.alert_reviewed',
  { id, agentId, platformId, rule }: Alert,
  facts: FactData,
): Fact {
  const subject = {
    agent_id: agentId === null ? null : formatId('agt', agentId),
    platform_id: platformId === null ? null : formatId('plt', platformId),
    rule,
  }
  return { agentId: null, actor, action, target: formatId('alr', id), data: { ...subject, ...facts } }
}
