import type { BodyOf, createPlatform as createPlatformRoute } from '@batua/contract'
import { raise } from '../../../kernel/app-error.ts'
import { newUuid } from '../../../kernel/ids.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import type { PlatformsContext } from './context.ts'
import { createdFact } from './facts.ts'
import { encryptEmail } from './platform-record.ts'
import { newPlatformSecret, newWebhookSecret } from './secrets.ts'
import { insertPlatform, type Platform } from './store.ts'
import { decideWebhookUrl } from './webhook-url.ts'

export interface CreatedPlatform {
  readonly platform: Platform
  /** Both secrets are shown once. */
  readonly platformSecret: string
  readonly webhookSecret: string
}

export async function createPlatform(
  { database, clock, vault, mode }: PlatformsContext,
  actor: Actor,
  request: BodyOf<typeof createPlatformRoute>,
): Promise<CreatedPlatform> {
  const webhookUrl = request.webhook_url ?? null
  if (webhookUrl !== null) {
    const decided = decideWebhookUrl(webhookUrl, mode)
    if (decided.kind === 'refusal') raise(decided)
  }
  const now = clock.now()
  const secret = newPlatformSecret(vault)
  const id = newUuid(now)
  const webhookSecret = newWebhookSecret(vault, id)
  const platform = {
    id,
    name: request.name.normalize('NFC'),
    email: encryptEmail(vault, id, request.email ?? null),
    webhookUrl,
    createdAt: now,
  }
  await database.inTransaction(async tx => {
    const versions = await insertPlatform(tx, vault, {
      ...platform,
      secretHash: secret.hash,
      webhookSecret: webhookSecret.encrypted,
    })
    await recordFacts(tx, vault, now, [createdFact(actor, platform)], versions)
  })
  return {
    platform: { ...platform, webhookDisabledAt: null, status: 'active' },
    platformSecret: secret.text,
    webhookSecret: webhookSecret.text,
  }
}
