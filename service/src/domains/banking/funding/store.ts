import type { Database, Queryable } from '../../../db/database.ts'
import type { CreatedOrder } from '../../../gateways/payment-gateway.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { entity, loggedOutcomes, type Selected } from '../../../operations/entity.ts'
import { SESSION_MS } from './decide.ts'
import type { AttemptState, Funding, FundingKey, FundingState } from './funding.ts'

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

export async function insertFunding(db: Queryable, vault: Vault, funding: Funding): Promise<void> {
  await db.query(
    `insert into fundings (id, agent_id, session_id, gateway, method, amount_paise, created_at, expires_at, opened_at,
       next_check_at, mac)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
    [
      funding.id,
      funding.agentId,
      funding.sessionId,
      funding.gateway,
      funding.method,
      funding.amountPaise,
      funding.createdAt,
      funding.expiresAt,
      funding.openedAt,
      funding.nextCheckAt,
      fundings.mac(vault, funding),
    ],
  )
}

export function recordOrder(
  database: Database,
  vault: Vault,
  key: FundingKey,
  { gatewayOrderId, gatewaySessionId }: CreatedOrder,
): Promise<void> {
  return change(database, vault, key, { gatewayOrderId, gatewaySessionId })
}

export function recordIntent(
  database: Database,
  vault: Vault,
  key: FundingKey,
  upiIntent: string,
): Promise<void> {
  return change(database, vault, key, { upiIntent })
}

/**
 * Records what the gateway reported of its order, outside the ledger transaction: under the row's lock, after its MAC
 * is verified.
 */
function change(
  database: Database,
  vault: Vault,
  key: FundingKey,
  said: Partial<Pick<Funding, 'gatewayOrderId' | 'gatewaySessionId' | 'upiIntent'>>,
): Promise<void> {
  return database.inTransaction(async tx => {
    const [row] = await tx.query<Selected<Funding>>(
      `select ${fundings.selected} from ${fundings.from} where r.agent_id = $1 and r.id = $2 for no key update of r`,
      [key.agentId, key.id],
    )
    if (row === undefined) return
    const funding = { ...fundings.proven(vault, row), ...said }
    await tx.query(
      `update fundings set gateway_order_id = $3, gateway_session_id = $4, upi_intent = $5, mac = $6
       where agent_id = $1 and id = $2`,
      [
        key.agentId,
        key.id,
        funding.gatewayOrderId,
        funding.gatewaySessionId,
        funding.upiIntent,
        fundings.mac(vault, funding),
      ],
    )
  })
}

/** Records the state of the last attempt before the gateway is queried about it. */
export async function recordLastAttempt(db: Queryable, key: FundingKey, state: AttemptState): Promise<void> {
  await db.query(
    `update fundings set last_attempt = $3 where agent_id = $1 and id = $2 and status = 'pending'`,
    [key.agentId, key.id, state],
  )
}

/** Records that the page was opened: from now on payment is possible, so the first check moves up to `checkAt`. */
export async function recordOpened(db: Queryable, key: FundingKey, now: Date, checkAt: Date): Promise<void> {
  await db.query(
    `update fundings set opened_at = $3, next_check_at = least(next_check_at, $4)
     where agent_id = $1 and id = $2 and opened_at is null and status = 'pending'`,
    [key.agentId, key.id, now, checkAt],
  )
}

/** A funding whose MAC is verified: it decides what the gateway is queried about. */
export function selectFunding(db: Queryable, vault: Vault, key: FundingKey): Promise<Funding | null> {
  return selectOne(db, vault, 'r.agent_id = $1 and r.id = $2', [key.agentId, key.id])
}

export function selectFundingById(db: Queryable, vault: Vault, id: Uuid): Promise<Funding | null> {
  return selectOne(db, vault, 'r.id = $1', [id])
}

export function selectFundingBySession(
  db: Queryable,
  vault: Vault,
  sessionId: Uuid,
): Promise<Funding | null> {
  return selectOne(db, vault, 'r.session_id = $1', [sessionId])
}

async function selectOne(
  db: Queryable,
  vault: Vault,
  condition: string,
  values: readonly Uuid[],
): Promise<Funding | null> {
  const [row] = await db.query<Selected<Funding>>(
    `select ${fundings.selected} from ${fundings.from} where ${condition}`,
    values,
  )
  return row === undefined ? null : fundings.proven(vault, row)
}

/** Fundings to query the gateway about. */
export const dueFundings = fundings.leasedRows({
  due: 'next_check_at',
  // If the worker crashes, a payment must still be found within a minute.
  lease: `interval '25 seconds'`,
  atOnce: 50,
})

/** The open sessions of agents that were deactivated. An agent that was before $since has none that is still open. */
const endedSessions = (since: string) =>
  `from fundings f join agents a on a.id = f.agent_id
   where a.deactivated_at > ${since} and f.status = 'pending' and f.expires_at > a.deactivated_at`

export const SESSIONS_ENDED = `exists (select ${endedSessions(
  `$1::timestamptz - interval '${SESSION_MS} milliseconds'`,
)})`

/**
 * Makes the sessions of agents that were deactivated after `since` due at once. Each is claimed only here and only
 * once, because the condition that finds it, an expiry after the agent's end, is corrected. Returns their number.
 */
export async function makeEndedSessionsDue(
  db: Queryable,
  now: Date,
  since: Date,
  limit: number,
): Promise<number> {
  const due = await db.query(
    `update fundings f set expires_at = ended.at, next_check_at = $1
     from (select f.agent_id, f.id, a.deactivated_at as at ${endedSessions('$2')}
           limit $3 for no key update of f skip locked) ended
     where f.agent_id = ended.agent_id and f.id = ended.id
     returning f.id`,
    [now, since, limit],
  )
  return due.length
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
