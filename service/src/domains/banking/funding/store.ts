import type { Database, Queryable } from '../../../db/database.ts'
import type { CreatedOrder } from '../../../gateways/payment-gateway.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Selected } from '../../../operations/entity.ts'
import type { AttemptState, Funding, FundingKey } from './funding.ts'
import { fundings } from './row-mac.ts'

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

/**
 * Claims fundings whose check is due and postpones their next check. If the worker crashes, its lease expires and
 * another worker checks them; no two nodes claim the same ones.
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
 * Makes the sessions of agents that were deactivated after `since` due at once. Each is claimed only here and only
 * once, because the condition that finds it, an expiry after the agent's end, is corrected. Returns their number.
 */
export async function hastenEndedSessions(
  db: Queryable,
  now: Date,
  since: Date,
  limit: number,
): Promise<number> {
  const hastened = await db.query(
    `update fundings f set expires_at = ended.at, next_check_at = $1
     from (select f.agent_id, f.id, a.deactivated_at as at from fundings f join agents a on a.id = f.agent_id
           where a.deactivated_at > $2 and f.status = 'pending' and f.expires_at > a.deactivated_at
           limit $3 for no key update of f skip locked) ended
     where f.agent_id = ended.agent_id and f.id = ended.id
     returning f.id`,
    [now, since, limit],
  )
  return hastened.length
}
