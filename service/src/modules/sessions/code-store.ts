import type { Queryable } from '../../db/database.ts'
import type { Audience } from './audience.ts'

/** Whose code it is: a phone by its digest, for one of the two logins. */
export interface CodeOwner {
  readonly audience: Audience
  readonly phoneIndex: Buffer
}

export interface StoredCode {
  readonly hash: Buffer
  readonly triesLeft: number
  readonly expiresAt: Date
  readonly sentAt: readonly Date[]
}

/** When codes were sent to a phone, which is locked until the commit; a phone without a row gets an empty one. */
export async function lockSentAt(tx: Queryable, owner: CodeOwner, now: Date): Promise<readonly Date[]> {
  const [row] = await tx.query<{ sentAt: Date[] }>(
    `insert into login_codes as c (audience, phone_index, code_hash, tries_left, expires_at, sent_at)
     values ($1, $2, null, 0, $3, '{}')
     on conflict (audience, phone_index) do update set audience = c.audience
     returning sent_at as "sentAt"`,
    [owner.audience, owner.phoneIndex, now],
  )
  return row?.sentAt ?? []
}

/** Puts a new code in the place of the old one. */
export async function replaceCode(tx: Queryable, owner: CodeOwner, code: StoredCode): Promise<void> {
  await tx.query(
    `update login_codes set code_hash = $3, tries_left = $4, expires_at = $5, sent_at = $6
     where audience = $1 and phone_index = $2`,
    [owner.audience, owner.phoneIndex, code.hash, code.triesLeft, code.expiresAt, code.sentAt],
  )
}

/** Uses up one try, and only then tells the hash: guesses side by side share what is left. null: no code to try. */
export async function takeTry(db: Queryable, owner: CodeOwner, now: Date): Promise<Buffer | null> {
  const [row] = await db.query<{ hash: Buffer }>(
    `update login_codes set tries_left = tries_left - 1
     where audience = $1 and phone_index = $2 and code_hash is not null and tries_left > 0 and expires_at > $3
     returning code_hash as hash`,
    [owner.audience, owner.phoneIndex, now],
  )
  return row?.hash ?? null
}

/** Ends a code that was right, and the brake with it but for the last sending; false when another call was first. */
export async function consumeCode(tx: Queryable, owner: CodeOwner, hash: Buffer): Promise<boolean> {
  const rows = await tx.query(
    `update login_codes set code_hash = null, tries_left = 0, sent_at = sent_at[cardinality(sent_at):]
     where audience = $1 and phone_index = $2 and code_hash = $3 returning audience`,
    [owner.audience, owner.phoneIndex, hash],
  )
  return rows.length === 1
}

/** Deletes codes that were dead before a moment, a bounded batch; answers how many. */
export async function deleteCodesBefore(db: Queryable, moment: Date, limit: number): Promise<number> {
  const rows = await db.query(
    `delete from login_codes where (audience, phone_index) in (
       select audience, phone_index from login_codes
       where expires_at <= $1 order by expires_at limit $2 for update skip locked)
     returning audience`,
    [moment, limit],
  )
  return rows.length
}
