import { isDeepStrictEqual } from 'node:util'
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
import type { DuePlace } from '../../jobs/due-pages.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Sink, Source } from '../../ledger/index.ts'
import { loggedOutcomes } from '../audit/index.ts'
import type { Approval, ApprovalKey } from './approval.ts'

const COLUMNS = `
  a.agent_id as "agentId", a.id, a.kind, a.payee as "payeeId", a.amount_paise as "amountPaise",
  a.fee_paise as "feePaise", a.reference, a.note, a.idempotency_key as "idempotencyKey",
  a.unique_reference as "uniqueReference", a.rule, a.layer, a.terms, a.status, a.created_at as "createdAt",
  a.expires_at as "expiresAt", a.decided_at as "decidedAt", a.payment_id as "madeId"`

/** What was asked for: it never changes. */
function requestValues(approval: Approval): unknown[] {
  return [
    approval.agentId,
    approval.id,
    approval.kind,
    approval.payeeId,
    approval.amountPaise,
    approval.feePaise,
    approval.reference,
    approval.note,
    approval.idempotencyKey,
    approval.uniqueReference,
    approval.rule,
    approval.layer,
    approval.terms,
    approval.createdAt,
    approval.expiresAt,
  ]
}

/** Whether both ask for the same: what is done was read before the lock. */
export function isSameRequest(left: Approval, right: Approval): boolean {
  return isDeepStrictEqual(requestValues(left), requestValues(right))
}

/** What an approval's MAC covers: what was asked for, and what became of it. */
function macValues(approval: Approval): unknown[] {
  return [...requestValues(approval), approval.status, approval.decidedAt, approval.madeId]
}

export function approvalMac(vault: Vault, approval: Approval): Buffer {
  return rowMacOf(vault, 'approvals', macValues(approval))
}

/** Its MAC, and whether the log says that it was decided. $3: their ids as the log has them, in the order of the keys. */
const DECIDED = `${loggedOutcomes('k.target', ['approval.approved', 'approval.rejected', 'approval.expired'])} is not null`
const PROOF = `a.mac, ${DECIDED} as decided`

interface Proof {
  readonly mac: Buffer | null
  readonly decided: boolean
}

/** An approval that the service wrote, and that was not decided before: what was done once is not done again. */
function proven(vault: Vault, { mac, decided, ...approval }: Approval & Proof): Approval {
  requireMac(vault, rowOf(approval, mac), isAsRecorded(approval, decided))
  return approval
}

function rowOf(approval: Approval, mac: Buffer | null): EngineRow {
  return { table: 'approvals', id: approval.id, values: macValues(approval), mac }
}

function isAsRecorded({ status }: Approval, decided: boolean): boolean {
  return !(decided && status === 'pending_approval')
}

/** Approvals as the check of all rows sees them. That none was put back to waiting is asked only of those that wait. */
export const APPROVAL_ROWS: EngineTable = {
  table: 'approvals',
  columns: [
    'agent_id',
    'id',
    'kind',
    'payee',
    'amount_paise',
    'fee_paise',
    'reference',
    'note',
    'idempotency_key',
    'unique_reference',
    'rule',
    'layer',
    'terms',
    'created_at',
    'expires_at',
    'status',
    'decided_at',
    'payment_id',
  ],
  uncovered: {},
  async check(db, vault, after, limit) {
    const rows = await db.query<Approval & Pick<Proof, 'mac'>>(
      `select ${COLUMNS}, a.mac from approvals a where a.id > $1 order by a.id limit $2`,
      [after, limit],
    )
    const decided = await selectDecided(db, rows)
    return rows.map(({ mac, ...approval }) => ({
      id: approval.id,
      why: whyRefused(vault, rowOf(approval, mac), isAsRecorded(approval, decided.has(approval.id))),
    }))
  },
}

/** Which of these that say that they wait the log says were decided. */
async function selectDecided(db: Queryable, approvals: readonly Approval[]): Promise<Set<string>> {
  const waiting = approvals.filter(({ status }) => status === 'pending_approval')
  const rows = await db.query<{ id: Uuid }>(
    `select a.id from unnest($1::uuid[], $2::uuid[], $3::text[]) k(agent_id, id, target)
     join approvals a on a.agent_id = k.agent_id and a.id = k.id where ${DECIDED}`,
    [
      arrayLiteral(waiting.map(({ agentId }) => agentId)),
      arrayLiteral(waiting.map(({ id }) => id)),
      textArrayLiteral(waiting.map(({ id }) => formatId('apr', id))),
    ],
  )
  return new Set(rows.map(({ id }) => id))
}

export function keyOf({ agentId, id }: ApprovalKey): string {
  return `${agentId} ${id}`
}

/** Approvals for decisions in the posting engine: whoever writes one holds its agent's account. */
export const approvalSource: Source<Approval> = {
  name: 'approvals',
  async load(tx: Queryable, keys: readonly string[], _nowMs: number, vault: Vault) {
    const pairs = keys.map(key => key.split(' '))
    const rows = await tx.query<Approval & Proof>(
      `select ${COLUMNS}, ${PROOF} from unnest($1::uuid[], $2::uuid[], $3::text[]) k(agent_id, id, target)
       join approvals a on a.agent_id = k.agent_id and a.id = k.id`,
      [
        arrayLiteral(pairs.map(pair => pair[0] ?? null)),
        arrayLiteral(pairs.map(pair => pair[1] ?? null)),
        textArrayLiteral(pairs.map(pair => formatId('apr', pair[1] ?? ''))),
      ],
    )
    return new Map(rows.map(row => [keyOf(row), proven(vault, row)]))
  },
}

export const requestedSink: Sink<Approval> = {
  name: 'requested approvals',
  write: (tx, rows, vault) =>
    tx.query(INSERT, [
      arrayLiteral(rows.map(row => row.agentId)),
      arrayLiteral(rows.map(row => row.id)),
      arrayLiteral(rows.map(row => row.kind)),
      arrayLiteral(rows.map(row => row.payeeId)),
      arrayLiteral(rows.map(row => row.amountPaise)),
      arrayLiteral(rows.map(row => row.feePaise)),
      textArrayLiteral(rows.map(row => row.reference)),
      textArrayLiteral(rows.map(row => row.note)),
      textArrayLiteral(rows.map(row => row.idempotencyKey)),
      arrayLiteral(rows.map(row => String(row.uniqueReference))),
      arrayLiteral(rows.map(row => row.rule)),
      arrayLiteral(rows.map(row => row.layer)),
      textArrayLiteral(rows.map(row => (row.terms === null ? null : JSON.stringify(row.terms)))),
      textArrayLiteral(rows.map(row => row.createdAt.toISOString())),
      textArrayLiteral(rows.map(row => row.expiresAt.toISOString())),
      textArrayLiteral(rows.map(row => approvalMac(vault, row).toString('hex'))),
    ]),
}

const INSERT = `
  insert into approvals (agent_id, id, kind, payee, amount_paise, fee_paise, reference, note, idempotency_key,
    unique_reference, rule, layer, terms, created_at, expires_at, mac)
  select v.agent_id, v.id, v.kind, v.payee, v.amount, v.fee, v.reference, v.note, v.idempotency_key,
    v.unique_reference, v.rule, v.layer, v.terms::jsonb, v.created_at, v.expires_at,
    decode(v.mac, 'hex')
  from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::int8[], $6::int8[], $7::text[], $8::text[],
    $9::text[], $10::boolean[], $11::text[], $12::text[], $13::text[], $14::timestamptz[], $15::timestamptz[], $16::text[])
    v(agent_id, id, kind, payee, amount, fee, reference, note, idempotency_key, unique_reference, rule, layer,
      terms, created_at, expires_at, mac)`

export const closedSink: Sink<Approval> = {
  name: 'closed approvals',
  write: (tx, rows, vault) =>
    tx.query(
      `update approvals a set status = v.status, decided_at = v.decided_at, payment_id = v.payment_id,
         mac = decode(v.mac, 'hex')
       from unnest($1::uuid[], $2::uuid[], $3::text[], $4::timestamptz[], $5::uuid[], $6::text[])
         v(agent_id, id, status, decided_at, payment_id, mac)
       where a.agent_id = v.agent_id and a.id = v.id`,
      [
        arrayLiteral(rows.map(row => row.agentId)),
        arrayLiteral(rows.map(row => row.id)),
        arrayLiteral(rows.map(row => row.status)),
        textArrayLiteral(rows.map(row => row.decidedAt?.toISOString() ?? null)),
        arrayLiteral(rows.map(row => row.madeId)),
        textArrayLiteral(rows.map(row => approvalMac(vault, row).toString('hex'))),
      ],
    ),
}

/** An approval with what its record shows of the agents, and whose they are. */
export interface ApprovalView extends Approval {
  readonly agentName: string
  readonly toName: string | null
  readonly ownerId: Uuid
  readonly platformId: Uuid
}

const VIEW = `${COLUMNS}, g.name as "agentName", p.name as "toName", g.owner_id as "ownerId",
  g.platform_id as "platformId"`

const VIEWED = `agents g join approvals a on a.agent_id = g.id left join agents p on p.id = a.payee`

export async function selectApproval(db: Queryable, id: Uuid): Promise<ApprovalView | null> {
  const [row] = await db.query<ApprovalView>(`select ${VIEW} from ${VIEWED} where a.id = $1`, [id])
  return row ?? null
}

/** These approvals, newest first. */
export async function selectApprovalViews(db: Queryable, ids: readonly Uuid[]): Promise<ApprovalView[]> {
  return db.query<ApprovalView>(
    `select ${VIEW} from ${VIEWED} where a.id = any($1::uuid[]) order by a.id desc`,
    [arrayLiteral(ids)],
  )
}

/** How many approvals of the whole network wait at this moment. */
export async function countPendingApprovals(db: Queryable, now: Date): Promise<number> {
  const [row] = await db.query<{ total: number }>(
    `select count(*)::int4 as total from approvals where status = 'pending_approval' and expires_at > $1`,
    [now],
  )
  return row?.total ?? 0
}

/** Approvals whose time is over and not yet written down as such, the oldest first. */
export async function selectDueApprovals(
  db: Queryable,
  now: Date,
  after: DuePlace,
  limit: number,
): Promise<(ApprovalKey & DuePlace)[]> {
  return db.query<ApprovalKey & DuePlace>(
    `select agent_id as "agentId", id, expires_at::text as "dueAt" from approvals
     where status = 'pending_approval' and expires_at <= $1 and (expires_at, id) > ($2, $3)
     order by expires_at, id limit $4`,
    [now, after.dueAt, after.id, limit],
  )
}

/** Gives rows from before there were MACs theirs, a bounded number; answers how many. */
export async function completeApprovals(tx: Queryable, vault: Vault, limit: number): Promise<number> {
  const old = await tx.query<Approval>(
    `select ${COLUMNS} from approvals a where a.mac is null limit $1 for update of a`,
    [limit],
  )
  return writeOldMacs(
    tx,
    'approvals',
    old.map(row => ({ id: row.id, mac: approvalMac(vault, row) })),
  )
}
