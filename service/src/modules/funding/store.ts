import type { Queryable } from '../../db/database.ts'
import { requireMac, rowMacOf, writeOldMacs } from '../../db/row-mac.ts'
import type { CreatedOrder } from '../../gateways/payment-gateway.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sink, Source } from '../../ledger/index.ts'
import type { AttemptState, Funding, FundingKey } from './funding.ts'

const COLUMNS = `
  f.id, f.agent_id as "agentId", f.session_id as "sessionId", f.gateway, f.method, f.amount_paise as "amountPaise",
  f.created_at as "createdAt", least(f.expires_at, a.deactivated_at) as "expiresAt",
  a.deactivated_at as "agentEndedAt", f.opened_at as "openedAt", f.gateway_order_id as "gatewayOrderId",
  f.gateway_session_id as "gatewaySessionId", f.upi_intent as "upiIntent", f.status, f.failure_reason as "failureReason", f.last_attempt as "lastAttempt",
  f.paid_method as "paidMethod", f.fee_paise as "feePaise", f.gateway_payment_id as "gatewayPaymentId",
  f.bank_reference as "bankReference", f.closed_at as "closedAt", f.reversed_at as "reversedAt",
  f.next_check_at as "nextCheckAt"`

/** What a funding's MAC covers: into which wallet how much goes. What the gateway answers is compared with that. */
function macValues(funding: Omit<Funding, 'expiresAt'>): unknown[] {
  const { agentId, id, sessionId, gateway, method, amountPaise, createdAt } = funding
  return [agentId, id, sessionId, gateway, method, amountPaise, createdAt]
}

export function fundingMac(vault: Vault, funding: Funding): Buffer {
  return rowMacOf(vault, 'fundings', macValues(funding))
}

// No session outlives its agent, whoever looks at it and however soon after the agent's end.
const FUNDINGS = `fundings f join agents a on a.id = f.agent_id`

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
      fundingMac(vault, funding),
    ],
  )
}

export async function recordOrder(db: Queryable, key: FundingKey, order: CreatedOrder): Promise<void> {
  await db.query(
    `update fundings set gateway_order_id = $3, gateway_session_id = $4 where agent_id = $1 and id = $2`,
    [key.agentId, key.id, order.gatewayOrderId, order.gatewaySessionId],
  )
}

export async function recordIntent(db: Queryable, key: FundingKey, intent: string): Promise<void> {
  await db.query(`update fundings set upi_intent = $3 where agent_id = $1 and id = $2`, [
    key.agentId,
    key.id,
    intent,
  ])
}

/** What is known of the last attempt before the gateway is asked about it. */
export async function recordLastAttempt(db: Queryable, key: FundingKey, state: AttemptState): Promise<void> {
  await db.query(
    `update fundings set last_attempt = $3 where agent_id = $1 and id = $2 and status = 'pending'`,
    [key.agentId, key.id, state],
  )
}

/** From now on somebody may pay: the first check moves up to `checkAt`. */
export async function recordOpened(db: Queryable, key: FundingKey, now: Date, checkAt: Date): Promise<void> {
  await db.query(
    `update fundings set opened_at = $3, next_check_at = least(next_check_at, $4)
     where agent_id = $1 and id = $2 and opened_at is null and status = 'pending'`,
    [key.agentId, key.id, now, checkAt],
  )
}

export async function selectFunding(db: Queryable, key: FundingKey): Promise<Funding | null> {
  const [row] = await db.query<Funding>(
    `select ${COLUMNS} from ${FUNDINGS} where f.agent_id = $1 and f.id = $2`,
    [key.agentId, key.id],
  )
  return row ?? null
}

export async function selectFundingById(db: Queryable, id: Uuid): Promise<Funding | null> {
  const [row] = await db.query<Funding>(`select ${COLUMNS} from ${FUNDINGS} where f.id = $1`, [id])
  return row ?? null
}

export async function selectFundingBySession(db: Queryable, sessionId: Uuid): Promise<Funding | null> {
  const [row] = await db.query<Funding>(`select ${COLUMNS} from ${FUNDINGS} where f.session_id = $1`, [
    sessionId,
  ])
  return row ?? null
}

/**
 * Takes fundings whose check is due and puts their next one off: who dies with them in hand leaves them to be
 * taken again then, and no two nodes take the same.
 */
export async function claimDueFundings(
  db: Queryable,
  now: Date,
  leaseUntil: Date,
  limit: number,
): Promise<FundingKey[]> {
  return db.query<FundingKey>(
    `update fundings f set next_check_at = $2
     from (select agent_id, id from fundings where next_check_at <= $1 order by next_check_at limit $3
           for update skip locked) due
     where f.agent_id = due.agent_id and f.id = due.id
     returning f.agent_id as "agentId", f.id`,
    [now, leaseUntil, limit],
  )
}

/**
 * Makes the sessions of agents that ended after `since` due at once; each is taken only here and only once, because
 * what it is found by, an expiry after the agent's end, is put right. Returns how many they were.
 */
export async function hastenEndedSessions(
  db: Queryable,
  now: Date,
  since: Date,
  limit: number,
): Promise<number> {
  const hastened = await db.query(
    `update fundings f set expires_at = ended.at, next_check_at = $1
     from (select f.agent_id, f.id, a.deactivated_at as at from ${FUNDINGS}
           where a.deactivated_at > $2 and f.status = 'pending' and f.expires_at > a.deactivated_at
           limit $3 for no key update of f skip locked) ended
     where f.agent_id = ended.agent_id and f.id = ended.id
     returning f.id`,
    [now, since, limit],
  )
  return hastened.length
}

/** Fundings under their own lock, for decisions in the posting engine; the wallet's account is locked before. */
export const fundingSource: Source<Funding> = {
  name: 'fundings',
  async load(tx, keys, _nowMs, vault) {
    const parsed = keys.map(fundingOfKey)
    const rows = await tx.query<Funding & { readonly mac: Buffer | null }>(
      `select ${COLUMNS}, f.mac from ${FUNDINGS} where f.agent_id = any($1::uuid[]) and f.id = any($2::uuid[])
       order by f.id for no key update of f`,
      [parsed.map(key => key.agentId), parsed.map(key => key.id)],
    )
    return new Map(
      rows.map(({ mac, ...funding }) => {
        requireMac(vault, { table: 'fundings', id: funding.id, values: macValues(funding), mac })
        return [keyOf(funding), funding]
      }),
    )
  },
}

export function keyOf({ agentId, id }: FundingKey): string {
  return `${agentId} ${id}`
}

function fundingOfKey(key: string): FundingKey {
  const [agentId = '', id = ''] = key.split(' ')
  return { agentId, id }
}

/** What decisions change of fundings. Of several changes of one in a batch the last holds, as it saw the others. */
export const fundingSink: Sink<Funding> = {
  name: 'fundings',
  async write(tx, rows) {
    const fundings = [...new Map(rows.map(row => [row.id, row])).values()]
    await tx.query(UPDATE_FUNDINGS, [
      fundings.map(funding => funding.agentId),
      fundings.map(funding => funding.id),
      fundings.map(funding => funding.status),
      fundings.map(funding => funding.failureReason),
      fundings.map(funding => funding.gatewayOrderId),
      fundings.map(funding => funding.lastAttempt),
      fundings.map(funding => funding.paidMethod),
      fundings.map(funding => funding.feePaise),
      fundings.map(funding => funding.gatewayPaymentId),
      fundings.map(funding => funding.bankReference),
      fundings.map(funding => funding.closedAt),
      fundings.map(funding => funding.reversedAt),
      fundings.map(funding => funding.nextCheckAt),
    ])
  },
}

const UPDATE_FUNDINGS = `
  update fundings f set status = v.status, failure_reason = v.failure_reason,
    gateway_order_id = v.gateway_order_id, last_attempt = v.last_attempt, paid_method = v.paid_method,
    fee_paise = v.fee_paise, gateway_payment_id = v.gateway_payment_id, bank_reference = v.bank_reference,
    closed_at = v.closed_at, reversed_at = v.reversed_at, next_check_at = v.next_check_at
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[],
    $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[])
    v(agent_id, id, status, failure_reason, gateway_order_id, last_attempt, paid_method, fee_paise,
      gateway_payment_id, bank_reference, closed_at, reversed_at, next_check_at)
  where f.agent_id = v.agent_id and f.id = v.id`

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
