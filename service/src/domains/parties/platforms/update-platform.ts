import type { BodyOf, updatePlatform as updatePlatformRoute } from '@batua/contract'
import { raise } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Actor, recordFacts } from '../../../operations/facts.ts'
import { platformNotFound } from './access.ts'
import type { PlatformsContext } from './context.ts'
import { updatedFact } from './facts.ts'
import { decryptEmail, encryptEmail } from './platform-record.ts'
import { lockPlatform, type Platform, updatePlatform as writePlatform } from './store.ts'
import { decideWebhookUrl } from './webhook-url.ts'

/** Changes the fields of the request; absent ones stay unchanged, null clears. */
export async function updatePlatform(
  { database, clock, vault, mode, resumeWebhooks }: PlatformsContext,
  actor: Actor,
  platformId: Uuid,
  change: BodyOf<typeof updatePlatformRoute>,
): Promise<Platform> {
  const { name, email, webhook_url: webhookUrl } = change
  if (typeof webhookUrl === 'string') {
    const decided = decideWebhookUrl(webhookUrl, mode)
    if (decided.kind === 'refusal') raise(decided)
  }
  return database.inTransaction(
    async tx => {
      const platform = await lockPlatform(tx, vault, platformId)
      if (platform === null || platform.status === 'deleted') throw platformNotFound()
      const changed = {
        ...platform,
        name: name === undefined ? platform.name : name.normalize('NFC'),
        email:
          email === undefined || email === decryptEmail(vault, platform)
            ? platform.email
            : encryptEmail(vault, platformId, email),
        webhookUrl: webhookUrl === undefined ? platform.webhookUrl : webhookUrl,
        webhookDisabledAt: webhookUrl === undefined ? platform.webhookDisabledAt : null,
      }
      const fact = updatedFact(actor, platform, changed)
      if (fact === null) return platform
      const now = clock.now()
      const versions = await writePlatform(tx, vault, changed)
      await recordFacts(tx, vault, now, [fact], versions)
      if (mustResume(platform, changed)) await resumeWebhooks(tx, platformId, now)
      return changed
    },
    { turns: [platformId] },
  )
}

/** Whether waiting webhooks must be tried again: the address changed, was set again or was removed. */
function mustResume(before: Platform, after: Platform): boolean {
  return before.webhookUrl !== after.webhookUrl || before.webhookDisabledAt !== after.webhookDisabledAt
}
