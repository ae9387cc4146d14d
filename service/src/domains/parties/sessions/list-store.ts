import type { Queryable } from '../../../db/database.ts'
import { isGenuine, type MacRow, macColumns } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { SESSION_ROWS } from './store.ts'

/** An open session of a person, as the person sees it. */
export interface OpenSession {
  readonly id: Uuid
  readonly createdAt: Date
  readonly lastUsedAt: Date | null
  /** Encrypted; null: opened before this was kept. */
  readonly openedFrom: Buffer | null
}

/** The open sessions of the person who holds a session, newest first. */
export async function selectSessionsOfSame(
  db: Queryable,
  vault: Vault,
  sessionId: Uuid,
  { now, limit }: { readonly now: Date; readonly limit: number },
): Promise<OpenSession[]> {
  const rows = await db.query<OpenSession & MacRow>(
    `select s.id, s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.opened_from as "openedFrom",
       ${macColumns(SESSION_ROWS, 's')}
     from sessions s join sessions own on own.phone_index = s.phone_index and own.audience = s.audience
     where own.id = $1 and s.expires_at > $2 order by s.id desc limit $3`,
    [sessionId, now, limit],
  )
  return rows.filter(row => isGenuine(vault, SESSION_ROWS, row.id, row))
}

/** Ends sessions of the person who holds a session: one; with null all but the held one. Returns their ids. */
export async function deleteSessionsOfSame(
  tx: Queryable,
  sessionId: Uuid,
  only: Uuid | null,
): Promise<Uuid[]> {
  const rows = await tx.query<{ id: Uuid }>(
    `delete from sessions s using sessions own
     where own.id = $1 and own.phone_index = s.phone_index and own.audience = s.audience
       and case when $2::uuid is null then s.id <> own.id else s.id = $2 end
     returning s.id`,
    [sessionId, only],
  )
  return rows.map(({ id }) => id)
}
