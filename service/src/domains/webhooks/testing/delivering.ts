import type { Database } from '../../../db/database.ts'
import { writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import type { ManualClock } from '../../../testing/manual-clock.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { disableWebhookUrl, PLATFORM_ROWS } from '../../parties/platforms/store.ts'
import { readWebhookTarget } from '../../parties/platforms/webhook-target.ts'
import { type Deliverer, type DelivererOptions, openDeliverer } from '../delivering/deliverer.ts'

/** Sets the webhook_url of the platform of an agent made by testing/builders; each has a platform of its own. */
export async function setReceiver(database: Database, platformId: Uuid, url: string | null): Promise<void> {
  const secret = TEST_VAULT.encrypt(
    `whsec_${Buffer.alloc(32, 'test').toString('base64')}`,
    `platforms.webhook_secret:${platformId}`,
  )
  await database.query(
    `insert into platforms (id, name, webhook_url, webhook_secret, secret_hash, created_at)
     values ($1, 'A platform', $2, $3, '', now())
     on conflict (id) do update set webhook_url = excluded.webhook_url, webhook_disabled_at = null`,
    [platformId, url, secret],
  )
  await writeMacs(database, TEST_VAULT, PLATFORM_ROWS, [platformId])
}

export function newDeliverer(
  database: Database,
  clock: ManualClock,
  more: Partial<DelivererOptions> = {},
): Deliverer {
  const targets = { read: readWebhookTarget, disable: disableWebhookUrl }
  const logger = silentLogger()
  return openDeliverer({ database, clock, vault: TEST_VAULT, targets, logger, mode: 'sandbox', ...more })
}
