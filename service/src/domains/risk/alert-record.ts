import type { RiskAlert } from '@batua/contract'
import { formatId } from '../../kernel/ids.ts'
import type { Alert } from './alerts-store.ts'

export function alertRecord(alert: Alert): RiskAlert {
  return {
    alert_id: formatId('alr', alert.id),
    agent_id: alert.agentId === null ? null : formatId('agt', alert.agentId),
    platform_id: alert.platformId === null ? null : formatId('plt', alert.platformId),
    rule: alert.rule,
    severity: alert.severity,
    score: alert.score,
    evidence: alert.evidence,
    status: alert.status,
    note: alert.note,
    created_at: alert.createdAt.toISOString(),
    reviewed_at: alert.reviewedAt?.toISOString() ?? null,
  }
}
