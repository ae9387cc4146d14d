import type { Queryable } from '../../../db/database.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { entity } from '../../../operations/entity.ts'
import { loggedOutcomes } from '../../../operations/logged-outcomes.ts'
import type { Funding, FundingState } from './funding.ts'

/**
 * Fundings, written under the lock of the wallet's account and under the row's own, because the checkout writes too.
 * The MAC covers the wallet, the amount, the order at the gateway, the page that the payer is sent to, and the
 * outcome. What the gateway reports is compared with that.
 */
export const fundings = entity<Funding, 'agentId' | 'id'>({
  table: 'fundings',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    sessionId: 'session_id uuid',
    gateway: 'gateway text',
    method: 'method text',
    amountPaise: 'amount_paise int8',
    createdAt: 'created_at timestamptz',
    gatewayOrderId: 'gateway_order_id text',
    gatewaySessionId: 'gateway_session_id text',
    upiIntent: 'upi_intent text',
    status: 'status text',
    feePaise: 'fee_paise int8',
    gatewayPaymentId: 'gateway_payment_id text',
    openedAt: 'opened_at timestamptz',
    failureReason: 'failure_reason text',
    lastAttempt: 'last_attempt text',
    paidMethod: 'paid_method text',
    bankReference: 'bank_reference text',
    closedAt: 'closed_at timestamptz',
    reversedAt: 'reversed_at timestamptz',
    nextCheckAt: 'next_check_at timestamptz',
  },
  // A session never outlives its agent, however soon after the deactivation it is read.
  joined: {
    sql: 'left join agents a on a.id = r.agent_id',
    expressions: {
      expiresAt: 'least(r.expires_at, a.deactivated_at)',
      agentEndedAt: 'a.deactivated_at',
    },
  },
  changes: [
    'status',
    'failureReason',
    'gatewayOrderId',
    'lastAttempt',
    'paidMethod',
    'feePaise',
    'gatewayPaymentId',
    'bankReference',
    'closedAt',
    'reversedAt',
    'nextCheckAt',
  ],
  uncovered: {
    expires_at: 'says only whether money that comes late is credited, or refunded to its payer',
    opened_at: 'says how often the gateway is queried',
    next_check_at: 'says when the gateway is queried, not what it returns',
    collects: 'counts the collect requests to a payer’s app',
    page_asked_at: 'says how often the gateway is queried',
    failure_reason: 'is only shown',
    last_attempt: 'is only shown',
    paid_method: 'is only shown; the fee of it was posted',
    bank_reference: 'is only shown',
    closed_at: 'is only shown',
    reversed_at: 'is only shown',
  },
  // A funding that was credited, failed or reversed does not become pending again.
  recorded: {
    posted: `nullif(array_remove(array[${transferOf('fund', 't.id = r.id')},
      ${transferOf('chargeback', 't.linked_id = r.id')}], null), '{}')`,
    prefix: 'fund',
    logged: ['funding.completed', 'funding.failed', 'funding.reversed'],
    agrees: ({ status }, posted, logged) => isAsPosted(status, posted) && isAsLogged(status, logged),
  },
  locksRow: true,
})

function isAsPosted(status: FundingState, posted: readonly string[] | null): boolean {
  if (posted === null) return status === 'pending' || status === 'failed'
  return status === (posted.includes('chargeback') ? 'reversed' : 'completed')
}

function isAsLogged(status: FundingState, logged: readonly string[] | null): boolean {
  if (logged === null) return true
  if (logged.includes('funding.reversed')) return status === 'reversed'
  return logged.includes(`funding.${status}`)
}

/**
 * The kind, if a transfer of it exists. A scalar subquery, because the planner could run one pass over all transfers
 * for an `exists`; and with coalesce, because it could scan an index of that kind alone as long as it is short.
 */
function transferOf(kind: 'fund' | 'chargeback', condition: string): string {
  return `(select '${kind}' from transfers t where ${condition} and coalesce(t.kind = '${kind}', false) limit 1)`
}

/** Whether the ledger or the log records that a funding was credited; its row may be gone. */
export async function wasCredited(db: Queryable, id: Uuid): Promise<boolean> {
  const [row] = await db.query<{ credited: boolean }>(
    `select ${transferOf('fund', 't.id = $1')} is not null
       or ${loggedOutcomes('$2', ['funding.completed'])} is not null as credited`,
    [id, formatId('fund', id)],
  )
  return row?.credited === true
}
