import type { EvidenceAgent, EvidencePayment, getRiskAlert, ResponseOf, RiskAlert } from '@batua/contract'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { RiskContext } from '../context.ts'
import { type NamedAgent, type NamedPayment, selectNamedAgents, selectPayments } from './evidence-store.ts'
import { type Alert, selectAlert } from './store.ts'

/** One alert with the payments and agents of its evidence, at most ten payments and thirty-one agents. */
export async function readAlert(
  { database }: Pick<RiskContext, 'database'>,
  alertRef: string,
): Promise<ResponseOf<typeof getRiskAlert>> {
  const id = parseId('alr', alertRef)
  const alert = id === null ? null : await selectAlert(database, id)
  if (alert === null) throw alertNotFound()
  const payments = await selectPayments(database, idsOf('pay', alert.evidence.payment_ids))
  const agents = await selectNamedAgents(database, agentsOf(alert, payments))
  const known = new Set(agents.map(agent => agent.id))
  return {
    ...alertRecord(alert),
    payments: payments.map(payment => paymentRecord(payment, known)),
    agents: agents.map(agentRecord),
  }
}

export function alertNotFound(): AppError {
  return new AppError('not_found', 'There is no alert with this id')
}

/** Every agent once: that of the alert first. */
function agentsOf({ agentId, evidence }: Alert, payments: readonly NamedPayment[]): Uuid[] {
  const sides = payments.flatMap(({ payer, payee }) => [payer, payee])
  const subject = agentId === null ? [] : [agentId]
  return [...new Set([...subject, ...idsOf('agt', evidence.agent_ids), ...sides])]
}

function idsOf(prefix: string, ids: readonly string[]): Uuid[] {
  return ids.flatMap(id => parseId(prefix, id) ?? [])
}

function paymentRecord(payment: NamedPayment, agents: ReadonlySet<Uuid>): EvidencePayment {
  const side = (id: Uuid) => (agents.has(id) ? formatId('agt', id) : null)
  return {
    payment_id: formatId('pay', payment.id),
    from_agent_id: side(payment.payer),
    to_agent_id: side(payment.payee),
    amount: rupees(payment.amountPaise),
    created_at: payment.postedAt.toISOString(),
  }
}

function agentRecord({ id, name, handle, ownerId, status }: NamedAgent): EvidenceAgent {
  return {
    agent_id: formatId('agt', id),
    name,
    handle,
    owner_id: formatId('own', ownerId),
    status,
  }
}

/** An alert on the wire. */
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
