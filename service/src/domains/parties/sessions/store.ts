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
import type { SessionKind } from '../../../http/admission/session-cookies.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { OWNER_ROWS } from '../owners/store.ts'

/** The MAC covers a session's kind, holder and expiry. */
export const SESSION_ROWS: CoveredTable = {
  table: 'sessions',
  id: 'id',
  columns: ['token_hash', 'audience', 'phone', 'phone_index', 'created_at', 'expires_at'],
  laterColumns: ['platform_id', 'secret_hash'],
  uncovered: { last_used_at: 'is only shown', opened_from: 'is only shown' },
}

/** Whose session it is: a person by the phone, or a platform by its secret. */
export type Holder =
  | {
      readonly audience: Exclude<SessionKind, 'platform'>
      /** Encrypted. */
      readonly phone: Buffer
      readonly phoneIndex: Buffer
    }
  | {
      readonly audience: 'platform'
      readonly platformId: Uuid
      /** The hash of the secret that opened the session. */
      readonly secretHash: Buffer
    }

export type NewSessionRow = Holder & {
  readonly id: Uuid
  readonly createdAt: Date
  readonly expiresAt: Date
  /** Encrypted. */
  readonly openedFrom: Buffer
}

export async function insertSession(
  db: Queryable,
  vault: Vault,
  tokenHash: Buffer,
  session: NewSessionRow,
): Promise<void> {
  const { audience } = session
  const [phone, phoneIndex, platformId, secretHash] =
    audience === 'platform'
      ? [null, null, session.platformId, session.secretHash]
      : [session.phone, session.phoneIndex, null, null]
  await db.query(
    `insert into sessions (token_hash, id, audience, phone, phone_index, platform_id, secret_hash, created_at,
       expires_at, last_used_at, opened_from)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $8, $10)`,
    [
      tokenHash,
      session.id,
      audience,
      phone,
      phoneIndex,
      platformId,
      secretHash,
      session.createdAt,
      session.expiresAt,
      session.openedFrom,
    ],
  )
  await writeMacs(db, vault, SESSION_ROWS, [session.id])
}

/** A valid session. The columns of other kinds of session are null. */
export interface FoundSession {
  readonly id: Uuid
  readonly phone: Buffer
  readonly phoneIndex: Buffer
  readonly platformId: Uuid
  readonly secretHash: Buffer
  readonly lastUsedAt: Date | null
}

/** A valid session of a kind by its token; null: there is none, or its row fails its MAC. */
export async function selectSessionByToken(
  db: Queryable,
  vault: Vault,
  audience: SessionKind,
  tokenHash: Buffer,
  now: Date,
): Promise<FoundSession | null> {
  const [row] = await db.query<FoundSession & MacRow>(
    `select s.id, s.phone, s.phone_index as "phoneIndex", s.platform_id as "platformId",
       s.secret_hash as "secretHash", s.last_used_at as "lastUsedAt", ${macColumns(SESSION_ROWS, 's')}
     from sessions s where s.token_hash = $1 and s.audience = $2 and s.expires_at > $3`,
    [tokenHash, audience, now],
  )
  return row !== undefined && isGenuine(vault, SESSION_ROWS, row.id, row) ? row : null
}

export async function updateLastUsed(db: Queryable, id: Uuid, now: Date): Promise<void> {
  await db.query(`update sessions set last_used_at = greatest(last_used_at, $2) where id = $1`, [id, now])
}

/** The accepted owners of a phone, without owners whose rows fail their MACs. */
export async function selectAcceptedIds(db: Queryable, vault: Vault, phoneIndex: Buffer): Promise<Uuid[]> {
  const rows = await db.query<{ id: Uuid } & MacRow>(
    `select o.id, ${macColumns(OWNER_ROWS, 'o')} from owners o
     where o.phone_index = $1 and o.link_status = 'accepted' order by o.id`,
    [phoneIndex],
  )
  return rows.filter(row => isGenuine(vault, OWNER_ROWS, row.id, row)).map(({ id }) => id)
}

export async function selectSession(
  db: Queryable,
  id: Uuid,
): Promise<{ readonly phone: Buffer; readonly phoneIndex: Buffer; readonly expiresAt: Date } | null> {
  const [row] = await db.query<{ phone: Buffer; phoneIndex: Buffer; expiresAt: Date }>(
    `select phone, phone_index as "phoneIndex", expires_at as "expiresAt" from sessions
     where id = $1 and phone is not null`,
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

/** The context that the encryption of where a session was opened authenticates. */
export function openedFromOf(id: Uuid): string {
  return `sessions.opened_from:${id}`
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
