import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import {
  type EngineRow,
  type EngineTable,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../../db/row-mac.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { loggedOutcomes } from '../audit/index.ts'
import type { Funding, FundingKey } from './funding.ts'

export const COLUMNS = `
  f.id, f.agent_id as "agentId", f.session_id as "sessionId", f.gateway, f.method, f.amount_paise as "amountPaise",
  f.created_at as "createdAt", least(f.expires_at, a.deactivated_at) as "expiresAt",
  a.deactivated_at as "agentEndedAt", f.opened_at as "openedAt", f.gateway_order_id as "gatewayOrderId",
  f.gateway_session_id as "gatewaySessionId", f.upi_intent as "upiIntent", f.status, f.failure_reason as "failureReason", f.last_attempt as "lastAttempt",
  f.paid_method as "paidMethod", f.fee_paise as "feePaise", f.gateway_payment_id as "gatewayPaymentId",
  f.bank_reference as "bankReference", f.closed_at as "closedAt", f.reversed_at as "reversedAt",
  f.next_check_at as "nextCheckAt"`

/**
 * What a funding's MAC covers: into which wallet how much goes, by which order of the gateway, where its payer is sent,
 * and what became of it. What the gateway answers is compared with that.
 */
function macValues(funding: Omit<Funding, 'expiresAt'>): unknown[] {
  return [
    funding.agentId,
    funding.id,
    funding.sessionId,
    funding.gateway,
    funding.method,
    funding.amountPaise,
    funding.createdAt,
    funding.gatewayOrderId,
    funding.gatewaySessionId,
    funding.upiIntent,
    funding.status,
    funding.feePaise,
    funding.gatewayPaymentId,
  ]
}

export function fundingMac(vault: Vault, funding: Funding): Buffer {
  return rowMacOf(vault, 'fundings', macValues(funding))
}

// No session outlives its agent, whoever looks at it and however soon after the agent's end.
export const FUNDINGS = `fundings f join agents a on a.id = f.agent_id`
export const OF_KEYS = `unnest($1::uuid[], $2::uuid[], $3::text[]) k(agent_id, id, target)
  join fundings f on f.agent_id = k.agent_id and f.id = k.id left join agents a on a.id = f.agent_id`

/**
 * Whether the book has a transfer of a kind. A scalar subquery, because the planner could make one pass over all transfers
 * of an `exists`; and with coalesce, because it could go through an index of that kind alone as long as it is short.
 */
function isInBook(kind: 'fund' | 'chargeback', condition: string): string {
  return `(select t.id from transfers t where ${condition} and coalesce(t.kind = '${kind}', false) limit 1) is not null`
}

/** Its MAC, and what the book and the log say became of it. k.target: its id as the log has it. */
export const PROOF = `f.mac, ${isInBook('fund', 't.id = f.id')} as completed,
  ${isInBook('chargeback', 't.linked_id = f.id')} as reversed,
  ${loggedOutcomes('k.target', ['funding.completed', 'funding.failed', 'funding.reversed'])} as logged`

export interface Mac {
  readonly mac: Buffer | null
}

export interface Proof extends Mac {
  readonly completed: boolean
  readonly reversed: boolean
  readonly logged: readonly string[] | null
}

function rowOf(funding: Funding, mac: Buffer | null): EngineRow {
  return { table: 'fundings', id: funding.id, values: macValues(funding), mac }
}

/** A funding that the service wrote. */
export function withMac(vault: Vault, { mac, ...funding }: Funding & Mac): Funding {
  requireMac(vault, rowOf(funding, mac))
  return funding
}

/** The same, and it stands as the book and the log have it: what was credited, given up or taken back is not again. */
export function proven(vault: Vault, row: Funding & Proof): Funding {
  const { mac, completed: _completed, reversed: _reversed, logged: _logged, ...funding } = row
  requireMac(vault, rowOf(funding, mac), isAsRecorded(row))
  return funding
}

function isAsRecorded(row: Funding & Proof): boolean {
  return isAsPosted(row) && isAsLogged(row)
}

function isAsPosted({ status, completed, reversed }: Funding & Proof): boolean {
  if (reversed) return status === 'reversed'
  if (completed) return status === 'completed'
  return status === 'pending' || status === 'failed'
}

/** The log may know nothing of one that ended before there was a log. */
function isAsLogged({ status, logged }: Funding & Proof): boolean {
  if (logged === null) return true
  if (logged.includes('funding.reversed')) return status === 'reversed'
  return logged.includes(`funding.${status}`)
}

export function keyValues(keys: readonly FundingKey[]): string[] {
  return [
    arrayLiteral(keys.map(({ agentId }) => agentId)),
    arrayLiteral(keys.map(({ id }) => id)),
    textArrayLiteral(keys.map(({ id }) => formatId('fund', id))),
  ]
}

/** Whether the book or the log says that a funding was credited; its row may be gone. */
export async function wasCredited(db: Queryable, id: Uuid): Promise<boolean> {
  const [row] = await db.query<{ credited: boolean }>(
    `select ${isInBook('fund', 't.id = $1')}
       or ${loggedOutcomes('$2', ['funding.completed'])} is not null as credited`,
    [id, formatId('fund', id)],
  )
  return row?.credited === true
}

/** Fundings as the check of all rows sees them. */
export const FUNDING_ROWS: EngineTable = {
  table: 'fundings',
  columns: [
    'agent_id',
    'id',
    'session_id',
    'gateway',
    'method',
    'amount_paise',
    'created_at',
    'gateway_order_id',
    'gateway_session_id',
    'upi_intent',
    'status',
    'fee_paise',
    'gateway_payment_id',
  ],
  uncovered: {
    expires_at: 'says only whether money that comes late is credited, or goes back to who paid it',
    opened_at: 'says how often the gateway is asked',
    next_check_at: 'says when the gateway is asked, not what it answers',
    collects: 'says how often a payer’s app was asked',
    page_asked_at: 'says how often the gateway is asked',
    failure_reason: 'is only shown',
    last_attempt: 'is only shown',
    paid_method: 'is only shown; the fee of it was posted',
    bank_reference: 'is only shown',
    closed_at: 'is only shown',
    reversed_at: 'is only shown',
  },
  async check(db, vault, after, limit) {
    const keys = await db.query<FundingKey>(
      `select agent_id as "agentId", id from fundings where id > $1 order by id limit $2`,
      [after, limit],
    )
    const rows = await db.query<Funding & Proof>(
      `select ${COLUMNS}, ${PROOF} from ${OF_KEYS} order by f.id`,
      keyValues(keys),
    )
    return rows.map(row => {
      const { mac, completed: _completed, reversed: _reversed, logged: _logged, ...funding } = row
      return { id: funding.id, why: whyRefused(vault, rowOf(funding, mac), isAsRecorded(row)) }
    })
  },
}

/** Gives rows from before there were MACs theirs, a bounded number; answers how many. */
export async function completeFundings(tx: Queryable, vault: Vault, limit: number): Promise<number> {
  const old = await tx.query<Funding>(
    `select ${COLUMNS} from ${FUNDINGS} where f.mac is null limit $1 for update of f`,
    [limit],
  )
  return writeOldMacs(
    tx,
    'fundings',
    old.map(row => ({ id: row.id, mac: fundingMac(vault, row) })),
  )
}
