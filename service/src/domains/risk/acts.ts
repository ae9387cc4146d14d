import { formatId } from '../../kernel/ids.ts'
import { type Act, type Actor, type Facts, service } from '../../operations/act.ts'
import type { Alert } from './alerts-store.ts'

const RULES = service('risk rules')

/**
 * In nobody's trail: whom a rule found would learn from its own what to stay below. What an administrator then does to
 * the agent stands there as the act that it is.
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
