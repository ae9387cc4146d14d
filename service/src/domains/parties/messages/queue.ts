import type { Queryable } from '../../../db/database.ts'
import { newUuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { insertMessage } from './store.ts'

/** The recipient and the content of a text message. */
export interface Occasion {
  readonly kind: 'bank_account_changed'
  /** Ten digits. */
  readonly phone: string
  readonly last4: string
  readonly effectiveAt: Date
}

/** Queues a message, which is sent at least once after this transaction has committed. */
export async function queueTextMessage(
  tx: Queryable,
  vault: Vault,
  now: Date,
  { kind, phone, last4, effectiveAt }: Occasion,
): Promise<void> {
  const content = { kind, phone, last4, effective_at: effectiveAt.toISOString() }
  await insertMessage(tx, vault, newUuid(now), content, now)
}
