import type { Queryable } from '../../../db/database.ts'
import { requireGenuine } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { decryptWebhookSecret } from './secrets.ts'
import { PLATFORM_ROWS, selectPreviousSecrets, selectWebhookTarget } from './store.ts'

/** The address of a platform's webhooks, and the secrets that sign them. */
export interface WebhookTarget {
  readonly url: string | null
  /** When the receiver responded with 410 Gone; null: it did not. */
  readonly disabledAt: Date | null
  /** `whsec_…`: the active secret first, then replaced ones that still sign, newest first. */
  readonly secrets: readonly string[]
}

/** Bounds the number of signatures in the header of each request. */
const MAX_PREVIOUS_SECRETS = 5

/** null if there is no such platform. */
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
