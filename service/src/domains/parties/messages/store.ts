import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** The stored content of a message, encrypted. */
export interface StoredContent {
  readonly kind: 'bank_account_changed'
  readonly phone: string
  readonly last4: string
  readonly effective_at: string
}

export interface DueMessage {
  readonly id: Uuid
  readonly content: StoredContent
  /** The number of times it was claimed, this time included. */
  readonly attempts: number
}

/** The encryption authenticates the id, so no content can be moved to another row. */
const contextOf = (id: Uuid) => `text_messages.content ${id}`

export async function insertMessage(
  tx: Queryable,
  vault: Vault,
  id: Uuid,
  content: StoredContent,
  now: Date,
): Promise<void> {
  await tx.query(`insert into text_messages (id, content, next_attempt_at) values ($1, $2, $3)`, [
    id,
    vault.encrypt(JSON.stringify(content), contextOf(id)),
    now,
  ])
}

/** A message claimed by a worker; null content: it cannot be decrypted, which was logged. */
export interface TakenMessage extends Omit<DueMessage, 'content'> {
  readonly content: StoredContent | null
}

/** Claims due messages until their lease ends. If the process crashes, another one claims them then. */
export async function claimDueMessages(
  db: Queryable,
  vault: Vault,
  { now, leaseUntil, limit }: { readonly now: Date; readonly leaseUntil: Date; readonly limit: number },
): Promise<TakenMessage[]> {
  const rows = await db.query<{ id: Uuid; content: Buffer; attempts: number }>(
    `update text_messages m set attempts = m.attempts + 1, next_attempt_at = $2
     from (select id from text_messages where next_attempt_at <= $1 order by next_attempt_at limit $3
           for update skip locked) due
     where m.id = due.id returning m.id, m.content, m.attempts`,
    [now, leaseUntil, limit],
  )
  return rows.map(({ id, content, attempts }) => ({ id, attempts, content: openContent(vault, id, content) }))
}

function openContent(vault: Vault, id: Uuid, content: Buffer): StoredContent | null {
  try {
    return JSON.parse(vault.decrypt(content, contextOf(id))) as StoredContent
  } catch {
    vault.onAltered('text_messages', id, 'does not open')
    return null
  }
}

export async function deleteMessage(db: Queryable, id: Uuid): Promise<void> {
  await db.query(`delete from text_messages where id = $1`, [id])
}

export async function postponeMessage(db: Queryable, id: Uuid, nextAttemptAt: Date): Promise<void> {
  await db.query(`update text_messages set next_attempt_at = $2 where id = $1`, [id, nextAttemptAt])
}
