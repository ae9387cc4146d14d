import { randomBytes } from 'node:crypto'
import { SECRET_PREFIXES } from '@batua/contract/codes'
import { DAY_MS } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { newSecret, type Vault } from '../../../kernel/secrets.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import type { PlatformsContext } from './context.ts'
import { platformFact } from './facts.ts'
import { replaceWebhookSecret, updateSecretHash } from './store.ts'

const WEBHOOK_SECRET_BYTES = 32

export function newPlatformSecret(vault: Vault): { readonly text: string; readonly hash: Buffer } {
  const text = newSecret(SECRET_PREFIXES.platformSecret)
  return { text, hash: vault.credentialHash(text, 'platforms.secret') }
}

/** A Standard Webhooks secret. It is stored encrypted and not hashed, because the service signs with it. */
export function newWebhookSecret(
  vault: Vault,
  platformId: Uuid,
): { readonly text: string; readonly encrypted: Buffer } {
  const text = SECRET_PREFIXES.webhookSecret + randomBytes(WEBHOOK_SECRET_BYTES).toString('base64')
  return { text, encrypted: vault.encrypt(text, webhookSecretOf(platformId)) }
}

export function decryptWebhookSecret(vault: Vault, platformId: Uuid, encrypted: Buffer): string {
  return vault.decrypt(encrypted, webhookSecretOf(platformId))
}

/** The context that the encryption authenticates, so that a secret cannot be moved to another platform. */
export function webhookSecretOf(platformId: Uuid): string {
  return `platforms.webhook_secret:${platformId}`
}

/** Replaces the platform's secret; the old one stops working at once. */
export async function rotateSecret(
  { database, clock, vault }: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
): Promise<string> {
  const secret = newPlatformSecret(vault)
  const fact = platformFact(actor, 'platform.secret_rotated', platformId)
  await database.inTransaction(
    async tx => {
      const versions = await updateSecretHash(tx, vault, platformId, secret.hash)
      await recordFacts(tx, vault, clock.now(), [fact], versions)
    },
    { turns: [platformId] },
  )
  return secret.text
}

/** Replaces the webhook secret. The old one signs too for a day, so that receivers can change over without a gap. */
export async function rotateWebhookSecret(
  { database, clock, vault }: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
): Promise<{ readonly secret: string; readonly previousUntil: Date }> {
  const secret = newWebhookSecret(vault, platformId)
  const now = clock.now()
  const previousUntil = new Date(now.getTime() + DAY_MS)
  const fact = platformFact(actor, 'platform.webhook_secret_rotated', platformId, {
    previous_secret_expires_at: previousUntil.toISOString(),
  })
  await database.inTransaction(
    async tx => {
      const previousId = newUuid(now)
      const versions = await replaceWebhookSecret(tx, vault, platformId, {
        webhookSecret: secret.encrypted,
        previousId,
        previousUntil,
        now,
      })
      await recordFacts(tx, vault, now, [fact], versions)
    },
    { turns: [platformId] },
  )
  return { secret: secret.text, previousUntil }
}
