import { randomBytes } from 'node:crypto'
import { SECRET_PREFIXES } from '@batua/contract'
import { DAY_MS } from '../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../kernel/ids.ts'
import { hashSecret, newSecret, type Vault } from '../../kernel/secrets.ts'
import { type Actor, recordActs } from '../audit/index.ts'
import { platformAct } from './acts.ts'
import type { PlatformsContext } from './context.ts'
import { replaceWebhookSecret, updateSecretHash } from './store.ts'

const WEBHOOK_SECRET_BYTES = 32
const WEBHOOK_SECRET = 'platforms.webhook_secret'

export function newPlatformSecret(): { readonly text: string; readonly hash: Buffer } {
  const text = newSecret(SECRET_PREFIXES.platformSecret)
  return { text, hash: hashSecret(text) }
}

/** A Standard Webhooks secret; it is kept encrypted, because the service signs with it. */
export function newWebhookSecret(vault: Vault): { readonly text: string; readonly sealed: Buffer } {
  const text = SECRET_PREFIXES.webhookSecret + randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')
  return { text, sealed: vault.encrypt(text, WEBHOOK_SECRET) }
}

export function openWebhookSecret(vault: Vault, sealed: Buffer): string {
  return vault.decrypt(sealed, WEBHOOK_SECRET)
}

/** Replaces the platform's secret; the old one stops working at once. */
export async function rotateSecret(
  { database, clock, vault }: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
): Promise<string> {
  const secret = newPlatformSecret()
  const act = platformAct(actor, 'platform.secret_rotated', platformId)
  await database.inTransaction(
    async tx => {
      await updateSecretHash(tx, platformId, secret.hash)
      await recordActs(tx, vault, clock.now(), [act])
    },
    { turns: [platformId] },
  )
  return secret.text
}

/** Replaces the webhook secret; for a day the old one signs too, so that receivers change over without a gap. */
export async function rotateWebhookSecret(
  { database, clock, vault }: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
): Promise<{ readonly secret: string; readonly previousUntil: Date }> {
  const secret = newWebhookSecret(vault)
  const now = clock.now()
  const previousUntil = new Date(now.getTime() + DAY_MS)
  const act = platformAct(actor, 'platform.webhook_secret_rotated', platformId, {
    previous_secret_expires_at: previousUntil.toISOString(),
  })
  await database.inTransaction(
    async tx => {
      const previousId = newUuid(now)
      await replaceWebhookSecret(tx, platformId, {
        webhookSecret: secret.sealed,
        previousId,
        previousUntil,
        now,
      })
      await recordActs(tx, vault, now, [act])
    },
    { turns: [platformId] },
  )
  return { secret: secret.text, previousUntil }
}
