import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import {
  type EngineRow,
  type EngineTable,
  ifGenuine,
  requireMac,
  rowMacOf,
  whyRefused,
  writeOldMacs,
} from '../../db/row-mac.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sink, Source } from '../../ledger/index.ts'
import { loggedOutcomes } from '../audit/index.ts'
import type { Escrow, EscrowKey } from './escrow.ts'

const COLUMNS = `
  e.agent_id as "agentId", e.id, e.to_agent as "toAgentId", e.attestor as "attestorId",
  e.amount_paise as "amountPaise", e.reference, e.status, e.auto_action as "autoAction",
  e.expires_at as "expiresAt", e.released_to as "releasedTo", e.created_at as "createdAt",
  e.resolved_at as "resolvedAt", e.hold_sequence as "holdSequence"`

/** What an escrow's MAC covers: whose money waits for whom, on which terms, and what became of it. */
function macValues(escrow: Escrow): unknown[] {
  return [
    escrow.agentId,
    escrow.id,
    escrow.toAgentId,
    escrow.attestorId,
    escrow.amountPaise,
    escrow.reference,
    escrow.autoAction,
    escrow.expiresAt,
    escrow.createdAt,
    escrow.holdSequence,
    escrow.status,
    escrow.releasedTo,
    escrow.resolvedAt,
  ]
}

export function escrowMac(vault: Vault, escrow: Escrow): Buffer {
  return rowMacOf(vault, 'escrows', macValues(escrow))
}

/** Its MAC, and how the book and the log say that it ended. k.target: its id as the log has it. */
const PROOF = `e.mac, (select min(t.kind::text) from transfers t where t.linked_id = e.id
    and t.kind in ('escrow_release', 'escrow_refund')) as "endedBy",
  ${loggedOutcomes('k.target', ['escrow.released', 'escrow.refunded'])} as logged`

const OF_KEYS = `unnest($1::uuid[], $2::uuid[], $3::text[]) k(agent_id, id, target)
  join escrows e on e.agent_id = k.agent_id and e.id = k.id`

function keyValues(keys: readonly EscrowKey[]): string[] {
  return [
    arrayLiteral(keys.map(({ agentId }) => agentId)),
    arrayLiteral(keys.map(({ id }) => id)),
    textArrayLiteral(keys.map(({ id }) => formatId('esc', id))),
  ]
}

interface Proof {
  readonly mac: Buffer | null
  readonly endedBy: string | null
  readonly logged: readonly string[] | null
}

const STATUS_AFTER: { readonly [kind: string]: Escrow['status'] } = {
  escrow_release: 'released',
  escrow_refund: 'refunded',
}

/** An escrow that the service wrote, and that stands as book and log have it: what was released once is not again. */
function proven(vault: Vault, { mac, endedBy, logged, ...escrow }: Escrow & Proof): Escrow {
  requireMac(vault, rowOf(escrow, mac), isAsRecorded(escrow, { endedBy, logged }))
  return escrow
}

function rowOf(escrow: Escrow, mac: Buffer | null): EngineRow {
  return { table: 'escrows', id: escrow.id, values: macValues(escrow), mac }
}

function isAsRecorded({ status }: Escrow, { endedBy, logged }: Omit<Proof, 'mac'>): boolean {
  const isAsPosted = status === (endedBy === null ? 'held' : STATUS_AFTER[endedBy])
  return isAsPosted && (logged === null || logged.includes(`escrow.${status}`))
}

/** Escrows as the check of all rows sees them. */
export const ESCROW_ROWS: EngineTable = {
  table: 'escrows',
  columns: [
    'agent_id',
    'id',
    'to_agent',
    'attestor',
    'amount_paise',
    'reference',
    'auto_action',
    'expires_at',
    'created_at',
    'hold_sequence',
    'status',
    'released_to',
    'resolved_at',
  ],
  uncovered: { next_try_at: 'says when the timeout is tried; what it does, and from when, the MAC covers' },
  async check(db, vault, after, limit) {
    const keys = await db.query<EscrowKey>(
      `select agent_id as "agentId", id from escrows where id > $1 order by id limit $2`,
      [after, limit],
    )
    const rows = await db.query<Escrow & Proof>(
      `select ${COLUMNS}, ${PROOF} from ${OF_KEYS} order by e.id`,
      keyValues(keys),
    )
    return rows.map(({ mac, endedBy, logged, ...escrow }) => ({
      id: escrow.id,
      why: whyRefused(vault, rowOf(escrow, mac), isAsRecorded(escrow, { endedBy, logged })),
    }))
  },
}

export function keyOf({ agentId, id }: EscrowKey): string {
  return `${agentId} ${id}`
}

function escrowOfKey(key: string): EscrowKey {
  const [agentId = '', id = ''] = key.split(' ')
  return { agentId, id }
}

/** Escrows for decisions in the posting engine: whoever closes one holds its payer's account. */
export const escrowSource: Source<Escrow> = {
  name: 'escrows',
  async load(tx: Queryable, keys: readonly string[], _nowMs: number, vault: Vault) {
    const rows = await tx.query<Escrow & Proof>(
      `select ${COLUMNS}, ${PROOF} from ${OF_KEYS}`,
      keyValues(keys.map(escrowOfKey)),
    )
    return new Map(rows.map(row => [keyOf(row), proven(vault, row)]))
  },
}

export const heldSink: Sink<Escrow> = {
  name: 'held escrows',
  write: (tx, rows, vault) =>
    tx.query(INSERT, [
      arrayLiteral(rows.map(row => row.agentId)),
      arrayLiteral(rows.map(row => row.id)),
      arrayLiteral(rows.map(row => row.toAgentId)),
      arrayLiteral(rows.map(row => row.attestorId)),
      arrayLiteral(rows.map(row => row.amountPaise)),
      textArrayLiteral(rows.map(row => row.reference)),
      arrayLiteral(rows.map(row => row.autoAction)),
      textArrayLiteral(rows.map(row => row.expiresAt?.toISOString() ?? null)),
      textArrayLiteral(rows.map(row => row.createdAt.toISOString())),
      arrayLiteral(rows.map(row => row.holdSequence)),
      textArrayLiteral(rows.map(row => escrowMac(vault, row).toString('hex'))),
    ]),
}

const INSERT = `
  insert into escrows (agent_id, id, to_agent, attestor, amount_paise, reference, auto_action, expires_at, next_try_at,
    created_at, hold_sequence, mac)
  select v.agent_id, v.id, v.to_agent, v.attestor, v.amount, v.reference, v.auto_action, v.expires_at, v.expires_at,
    v.created_at, v.hold_sequence, decode(v.mac, 'hex')
  from unnest($1::uuid[], $2::uuid[], $3::uuid[], $4::uuid[], $5::int8[], $6::text[], $7::text[], $8::timestamptz[],
    $9::timestamptz[], $10::int8[], $11::text[])
    v(agent_id, id, to_agent, attestor, amount, reference, auto_action, expires_at, created_at, hold_sequence, mac)`

export const closedSink: Sink<Escrow> = {
  name: 'closed escrows',
  write: (tx, rows, vault) =>
    tx.query(
      `update escrows e set status = v.status, released_to = v.released_to, resolved_at = v.resolved_at,
         next_try_at = null, mac = decode(v.mac, 'hex')
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::timestamptz[], $6::text[])
         v(agent_id, id, status, released_to, resolved_at, mac)
       where e.agent_id = v.agent_id and e.id = v.id`,
      [
        arrayLiteral(rows.map(row => row.agentId)),
        arrayLiteral(rows.map(row => row.id)),
        arrayLiteral(rows.map(row => row.status)),
        arrayLiteral(rows.map(row => row.releasedTo)),
        textArrayLiteral(rows.map(row => row.resolvedAt?.toISOString() ?? null)),
        textArrayLiteral(rows.map(row => escrowMac(vault, row).toString('hex'))),
      ],
    ),
}

/** An escrow, proven: who may end it is decided by what this says, before it is proven again under the lock. */
export async function selectEscrow(db: Queryable, vault: Vault, id: Uuid): Promise<Escrow | null> {
  const [row] = await db.query<Escrow & Pick<Proof, 'mac'>>(
    `select ${COLUMNS}, e.mac from escrows e where e.id = $1`,
    [id],
  )
  return row === undefined ? null : withMac(vault, row)
}

function withMac(vault: Vault, { mac, ...escrow }: Escrow & Pick<Proof, 'mac'>): Escrow {
  requireMac(vault, rowOf(escrow, mac))
  return escrow
}

/**
 * Takes escrows whose timeout is due and puts the next try off, by as long as this one is overdue within the bounds:
 * so no two nodes take the same, who dies with one in hand leaves it to be taken again, and what cannot be done yet is
 * tried less and less often.
 */
export async function claimDueTimeouts(
  db: Queryable,
  vault: Vault,
  now: Date,
  pauseMs: { readonly least: number; readonly most: number },
  limit: number,
): Promise<Escrow[]> {
  const rows = await db.query<Escrow & Pick<Proof, 'mac'>>(
    `update escrows e
     set next_try_at = $1::timestamptz
       + least(greatest(case when isfinite(e.expires_at) then $1::timestamptz - e.expires_at end,
           $2 * interval '1 millisecond'), $3 * interval '1 millisecond')
     from (select d.agent_id, d.id from escrows d where d.next_try_at <= $1 order by d.next_try_at limit $4
           for update skip locked) due
     where e.agent_id = due.agent_id and e.id = due.id
     returning ${COLUMNS}, e.mac`,
    [now, pauseMs.least, pauseMs.most, limit],
  )
  return rows.flatMap(row => ifGenuine(() => withMac(vault, row)))
}

/** Whose an agent is, which never changes. */
export interface Party {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

export async function selectParties(db: Queryable, ids: readonly Uuid[]): Promise<Map<Uuid, Party>> {
  const rows = await db.query<Party>(
    `select id, platform_id as "platformId", owner_id as "ownerId" from agents where id = any($1::uuid[])`,
    [ids],
  )
  return new Map(rows.map(row => [row.id, row]))
}

/** How many agents of a platform have money in escrow. Under the locks of their accounts it stays so. */
export async function countHeldOfPlatform(tx: Queryable, platformId: Uuid): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    `select count(*)::int4 as count from agents a where a.platform_id = $1
       and exists (select 1 from escrows e where e.agent_id = a.id and e.status = 'held')`,
    [platformId],
  )
  return row?.count ?? 0
}

/** All that waits in escrow: what the escrow account of the book has to hold. */
export async function sumHeld(db: Queryable): Promise<Paise> {
  const [row] = await db.query<{ sum: bigint }>(
    `select coalesce(sum(amount_paise), 0)::int8 as sum from escrows where status = 'held'`,
    [],
  )
  return (row?.sum ?? 0n) as Paise
}

/** Gives rows from before there were MACs theirs, a bounded number; answers how many. */
export async function completeEscrows(tx: Queryable, vault: Vault, limit: number): Promise<number> {
  const old = await tx.query<Escrow>(
    `select ${COLUMNS} from escrows e where e.mac is null limit $1 for update of e`,
    [limit],
  )
  return writeOldMacs(
    tx,
    'escrows',
    old.map(row => ({ id: row.id, mac: escrowMac(vault, row) })),
  )
}
