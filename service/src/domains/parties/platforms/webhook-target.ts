import type { Queryable } from '../../../db/database.ts'
import { requireGenuine } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { decryptWebhookSecret } from './secrets.ts'
import { PLATFORM_ROWS, selectPreviousSecrets, selectWebhookTarget } from './store.ts'

/** Where a platform is told, and what it is signed with. */
export interface WebhookTarget {
  readonly url: string | null
  /** Since when the receiver is gone; null: it is not. */
  readonly disabledAt: Date | null
  /** `whsec_…`; the one in use first, then those before it that still sign, the newest first. */
  readonly secrets: readonly string[]
}

/** Every signature is one more in the header of each request, so there is an end to rotating in a hurry. */
const MAX_PREVIOUS_SECRETS = 5

/** null: there is no such platform. */
export async function readWebhookTarget(
  db: Queryable,
  vault: Vault,
  platformId: Uuid,
  now: Date,
): Promise<WebhookTarget | null> {
  const [row, previous] = await Promise.all([
    selectWebhookTarget(db, platformId),
    selectPreviousSecrets(db, platformId, now, MAX_PREVIOUS_SECRETS),
  ])
  if (row === null) return null
  requireGenuine(vault, PLATFORM_ROWS, platformId, row)
  const encrypted = [row.webhookSecret, ...previous]
  return {
    url: row.webhookUrl,
    disabledAt: row.webhookDisabledAt,
    secrets: encrypted.map(secret => decryptWebhookSecret(vault, platformId, secret)),
  }
}
