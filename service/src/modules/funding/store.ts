import type { Database, Queryable } from '../../db/database.ts'
import type { CreatedOrder } from '../../gateways/payment-gateway.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sink, Source } from '../../ledger/index.ts'
import type { AttemptState, Funding, FundingKey } from './funding.ts'
import {
  COLUMNS,
  FUNDINGS,
  fundingMac,
  keyValues,
  type Mac,
  OF_KEYS,
  PROOF,
  type Proof,
  proven,
  withMac,
} from './row-mac.ts'

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

/** What the gateway said of its order, outside the ledger transaction: under the row's lock, which is proven first. */
function change(
  database: Database,
  vault: Vault,
  key: FundingKey,
  said: Partial<Pick<Funding, 'gatewayOrderId' | 'gatewaySessionId' | 'upiIntent'>>,
): Promise<void> {
  return database.inTransaction(async tx => {
    const [row] = await tx.query<Funding & Mac>(
      `select ${COLUMNS}, f.mac from ${FUNDINGS} where f.agent_id = $1 and f.id = $2 for no key update of f`,
      [key.agentId, key.id],
    )
    if (row === undefined) return
    const funding = { ...withMac(vault, row), ...said }
    await tx.query(
      `update fundings set gateway_order_id = $3, gateway_session_id = $4, upi_intent = $5, mac = $6
       where agent_id = $1 and id = $2`,
      [
        key.agentId,
        key.id,
        funding.gatewayOrderId,
        funding.gatewaySessionId,
        funding.upiIntent,
        fundingMac(vault, funding),
      ],
    )
  })
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

/** A funding, proven: what the gateway is asked about is decided by what this says. */
export function selectFunding(db: Queryable, vault: Vault, key: FundingKey): Promise<Funding | null> {
  return selectOne(db, vault, 'f.agent_id = $1 and f.id = $2', [key.agentId, key.id])
}

export function selectFundingById(db: Queryable, vault: Vault, id: Uuid): Promise<Funding | null> {
  return selectOne(db, vault, 'f.id = $1', [id])
}

export function selectFundingBySession(
  db: Queryable,
  vault: Vault,
  sessionId: Uuid,
): Promise<Funding | null> {
  return selectOne(db, vault, 'f.session_id = $1', [sessionId])
}

async function selectOne(
  db: Queryable,
  vault: Vault,
  condition: string,
  values: readonly Uuid[],
): Promise<Funding | null> {
  const [row] = await db.query<Funding & Mac>(
    `select ${COLUMNS}, f.mac from ${FUNDINGS} where ${condition}`,
    values,
  )
  return row === undefined ? null : withMac(vault, row)
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
    const rows = await tx.query<Funding & Proof>(
      `select ${COLUMNS}, ${PROOF} from ${OF_KEYS} order by f.id for no key update of f`,
      keyValues(keys.map(fundingOfKey)),
    )
    return new Map(rows.map(row => [keyOf(row), proven(vault, row)]))
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
  async write(tx, rows, vault) {
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
      fundings.map(funding => fundingMac(vault, funding).toString('hex')),
    ])
  },
}

const UPDATE_FUNDINGS = `
  update fundings f set status = v.status, failure_reason = v.failure_reason,
    gateway_order_id = v.gateway_order_id, last_attempt = v.last_attempt, paid_method = v.paid_method,
    fee_paise = v.fee_paise, gateway_payment_id = v.gateway_payment_id, bank_reference = v.bank_reference,
    closed_at = v.closed_at, reversed_at = v.reversed_at, next_check_at = v.next_check_at,
    mac = decode(v.mac, 'hex')
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::int8[],
    $9::text[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::timestamptz[], $14::text[])
    v(agent_id, id, status, failure_reason, gateway_order_id, last_attempt, paid_method, fee_paise,
      gateway_payment_id, bank_reference, closed_at, reversed_at, next_check_at, mac)
  where f.agent_id = v.agent_id and f.id = v.id`
