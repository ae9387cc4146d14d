import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Database, Queryable } from '../../db/database.ts'
import {
  type EngineRow,
  type EngineTable,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../../db/row-mac.ts'
import type { CreatedOrder } from '../../gateways/payment-gateway.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
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
const FUNDINGS = `fundings f join agents a on a.id = f.agent_id`
const OF_KEYS = `unnest($1::uuid[], $2::uuid[], $3::text[]) k(agent_id, id, target)
  join fundings f on f.agent_id = k.agent_id and f.id = k.id left join agents a on a.id = f.agent_id`

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

/** Its MAC, and what the book and the log say became of it. k.target: its id as the log has it. */
const PROOF = `f.mac, exists(select from transfers t where t.id = f.id and t.kind = 'fund') as completed,
  exists(select from transfers t where t.linked_id = f.id and t.kind = 'chargeback') as reversed,
  exists(select from audit_entries e where e.agent_id = f.agent_id and e.action = 'funding.failed'
    and e.target = k.target) as failed`

interface Mac {
  readonly mac: Buffer | null
}

interface Proof extends Mac {
  readonly completed: boolean
  readonly reversed: boolean
  readonly failed: boolean
}

function rowOf(funding: Funding, mac: Buffer | null): EngineRow {
  return { table: 'fundings', id: funding.id, values: macValues(funding), mac }
}

/** A funding that the service wrote. */
function withMac(vault: Vault, { mac, ...funding }: Funding & Mac): Funding {
  requireMac(vault, rowOf(funding, mac))
  return funding
}

/** The same, and it stands as the book and the log have it: what was credited, given up or taken back is not again. */
function proven(vault: Vault, row: Funding & Proof): Funding {
  const { mac, completed, reversed, failed, ...funding } = row
  requireMac(vault, rowOf(funding, mac), isAsRecorded(row))
  return funding
}

function isAsRecorded({ status, completed, reversed, failed }: Funding & Proof): boolean {
  if (reversed) return status === 'reversed'
  if (completed) return status === 'completed'
  return failed ? status === 'failed' : status === 'pending' || status === 'failed'
}

function keyValues(keys: readonly FundingKey[]): string[] {
  return [
    arrayLiteral(keys.map(({ agentId }) => agentId)),
    arrayLiteral(keys.map(({ id }) => id)),
    textArrayLiteral(keys.map(({ id }) => formatId('fund', id))),
  ]
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
      const { mac, completed, reversed, failed, ...funding } = row
      return { id: funding.id, why: whyRefused(vault, rowOf(funding, mac), isAsRecorded(row)) }
    })
  },
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
