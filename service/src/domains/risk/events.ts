import { formatId } from '../../kernel/ids.ts'
import type { NewEvent } from '../../operations/event.ts'
import type { Alert } from './alerts-store.ts'

/** What a rule saw is for the operators alone: who is watched would learn from it what to stay below. */
export function openedEvents({ id, agentId, platformId, rule, severity, score }: Alert): NewEvent[] {
  // What is about the service itself is no platform's to know.
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
