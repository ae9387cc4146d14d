import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import {
  type CoveredTable,
  isGenuine,
  type MacRow,
  macColumns,
  type RowVersion,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { OWNER_ROWS } from '../owners/store.ts'
import type { Audience } from './phone-login.ts'

/** The MAC covers a session's kind, phone and expiry. */
export const SESSION_ROWS: CoveredTable = {
  table: 'sessions',
  id: 'id',
  columns: ['token_hash', 'audience', 'phone', 'phone_index', 'created_at', 'expires_at'],
  uncovered: {},
}

export interface Session {
  readonly id: Uuid
  readonly audience: Audience
  /** Encrypted. */
  readonly phone: Buffer
  readonly phoneIndex: Buffer
  readonly createdAt: Date
  readonly expiresAt: Date
}

export async function insertSession(
  db: Queryable,
  vault: Vault,
  tokenHash: Buffer,
  session: Session,
): Promise<void> {
  await db.query(
    `insert into sessions (token_hash, id, audience, phone, phone_index, created_at, expires_at)
     values ($1, $2, $3, $4, $5, $6, $7)`,
    [
      tokenHash,
      session.id,
      session.audience,
      session.phone,
      session.phoneIndex,
      session.createdAt,
      session.expiresAt,
    ],
  )
  await writeMacs(db, vault, SESSION_ROWS, [session.id])
}

/** A valid session by its token, with the owners that are accepted for its phone at this moment. */
export async function selectOwnerSession(
  db: Queryable,
  vault: Vault,
  tokenHash: Buffer,
  now: Date,
): Promise<{ readonly id: Uuid; readonly ownerIds: readonly Uuid[] } | null> {
  const [row] = await db.query<{ id: Uuid; phoneIndex: Buffer } & MacRow>(
    `select s.id, s.phone_index as "phoneIndex", ${macColumns(SESSION_ROWS, 's')}
     from sessions s where s.token_hash = $1 and s.audience = 'owner' and s.expires_at > $2`,
    [tokenHash, now],
  )
  if (row === undefined || !isGenuine(vault, SESSION_ROWS, row.id, row)) return null
  return { id: row.id, ownerIds: await selectAcceptedIds(db, vault, row.phoneIndex) }
}

/** The accepted owners of a phone, without owners whose rows fail their MACs. */
async function selectAcceptedIds(db: Queryable, vault: Vault, phoneIndex: Buffer): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid } & MacRow>(
    `select o.id, ${macColumns(OWNER_ROWS, 'o')} from owners o
     where o.phone_index = $1 and o.link_status = 'accepted' order by o.id`,
    [phoneIndex],
  )
  return rows.filter(row => isGenuine(vault, OWNER_ROWS, row.id, row)).map(({ id }) => id)
}

export async function selectAdminSession(
  db: Queryable,
  vault: Vault,
  tokenHash: Buffer,
  now: Date,
): Promise<{ readonly id: Uuid; readonly phone: Buffer } | null> {
  const [row] = await db.query<{ id: Uuid; phone: Buffer } & MacRow>(
    `select s.id, s.phone, ${macColumns(SESSION_ROWS, 's')}
     from sessions s where s.token_hash = $1 and s.audience = 'admin' and s.expires_at > $2`,
    [tokenHash, now],
  )
  return row !== undefined && isGenuine(vault, SESSION_ROWS, row.id, row) ? row : null
}

export async function selectSession(
  db: Queryable,
  id: Uuid,
): Promise<Pick<Session, 'phone' | 'phoneIndex' | 'expiresAt'> | null> {
  const [row] = await db.query<Pick<Session, 'phone' | 'phoneIndex' | 'expiresAt'>>(
    `select phone, phone_index as "phoneIndex", expires_at as "expiresAt" from sessions where id = $1`,
    [id],
  )
  return row ?? null
}

/** Whether any platform has an owner with this phone, accepted or not. */
export async function isOwnersPhone(db: Queryable, phoneIndex: Buffer): Promise<boolean> {
  const rows = await db.query(`select id from owners where phone_index = $1 limit 1`, [phoneIndex])
  return rows.length === 1
}

/** Ends a session; false if it had ended already. */
export async function deleteSession(tx: Queryable, id: Uuid): Promise<boolean> {
  const rows = await tx.query(`delete from sessions where id = $1 returning id`, [id])
  return rows.length === 1
}

/** Raises the version in the audit log, so that a restored row of an ended session is older than audited. */
export function endedVersion(id: Uuid): RowVersion {
  return { row: `sessions/${id}`, id, version: 2 }
}

/** Deletes a bounded batch of expired sessions. Returns the number deleted. */
export async function deleteExpiredSessions(db: Queryable, now: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from sessions where token_hash in (
       select token_hash from sessions where expires_at <= $1 order by expires_at limit $2 for update skip locked)
     returning id`,
    [now, limit],
  )
  return rows.length
}

/** The context that the encryption of a session's phone authenticates. */
export function sessionPhoneOf(id: Uuid): string {
  return `sessions.phone:${id}`
}

/** Which of these sessions are not over. */
export async function selectLiveSessions(
  db: Queryable,
  ids: readonly Uuid[],
  now: Date,
): Promise<ReadonlySet<Uuid>> {
  const rows = await db.query<{ id: Uuid }>(
    `select id from sessions where id = any($1::uuid[]) and expires_at > $2`,
    [arrayLiteral(ids), now],
  )
  return new Set(rows.map(({ id }) => id))
}
