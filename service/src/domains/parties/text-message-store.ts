import type { Queryable } from '../../db/database.ts'
import { AlteredRow } from '../../db/row-mac.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Writer } from '../../ledger/index.ts'
import { leasedRows } from '../../operations/due-work.ts'

/** What a text message reports. */
type News =
  | { readonly kind: 'bank_account_changed'; readonly last4: string }
  | { readonly kind: 'passkey_added' | 'passkey_removed' }
  /** `agent` is its handle; `daily` is in INR. */
  | { readonly kind: 'app_connected'; readonly agent: string; readonly daily: string }

/** The recipient and the content of a text message. */
export type Occasion = News & {
  /** Ten digits. */
  readonly phone: string
  readonly effectiveAt: Date
}

/** The stored content of a message, encrypted. */
export type StoredContent = News & { readonly phone: string; readonly effective_at: string }

export interface DueMessage {
  readonly id: Uuid
  readonly content: StoredContent
  /** The number of times it was claimed, this time included. */
  readonly attempts: number
}

/** The encryption authenticates the id, so no content can be moved to another row. */
const contextOf = (id: Uuid) => `text_messages.content ${id}`

/** Queues a message, which is sent at least once after this transaction has committed. */
export async function queueTextMessage(
  tx: Queryable,
  vault: Vault,
  now: Date,
  { effectiveAt, ...occasion }: Occasion,
): Promise<void> {
  const id = newUuid(now)
  const content = { ...occasion, effective_at: effectiveAt.toISOString() } satisfies StoredContent
  await tx.query(`insert into text_messages (id, content, next_attempt_at) values ($1, $2, $3)`, [
    id,
    vault.encrypt(JSON.stringify(content), contextOf(id)),
    now,
  ])
}

/** Queues messages in the commit of a ledger batch. What they report takes effect with it. */
export const textMessageWriter: Writer<Occasion> = {
  name: 'text messages',
  async write(tx, occasions, vault) {
    for (const occasion of occasions) await queueTextMessage(tx, vault, occasion.effectiveAt, occasion)
  },
}

/** A message that cannot be decrypted stays stored for an operator, and is retried when its lease ends. */
export const dueMessages = leasedRows<Omit<DueMessage, 'content'> & { readonly content: Buffer }, DueMessage>(
  {
    table: 'text_messages',
    key: ['id'],
    due: 'next_attempt_at',
    // Longer than the timeout of a provider.
    lease: `interval '60 seconds'`,
    counting: 'attempts = r.attempts + 1',
    atOnce: 20,
    selected: 'r.id, r.content, r.attempts',
    proven: (vault, { id, content, attempts }) => ({ id, attempts, content: decrypted(vault, id, content) }),
  },
)

function decrypted(vault: Vault, id: Uuid, content: Buffer): StoredContent {
  try {
    return JSON.parse(vault.decrypt(content, contextOf(id))) as StoredContent
  } catch {
    vault.onAltered('text_messages', id, 'does not open')
    throw new AlteredRow('text_messages', id, 'does not open')
  }
}

export async function deleteMessage(db: Queryable, id: Uuid): Promise<void> {
  await db.query(`delete from text_messages where id = $1`, [id])
}

export async function postponeMessage(db: Queryable, id: Uuid, nextAttemptAt: Date): Promise<void> {
  await db.query(`update text_messages set next_attempt_at = $2 where id = $1`, [id, nextAttemptAt])
}
