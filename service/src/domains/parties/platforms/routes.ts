import { routes } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { formatId } from '../../../kernel/ids.ts'
import { actorOf } from '../../../operations/facts.ts'
import { requireLivingPlatform, requirePlatformAccess } from './access.ts'
import type { PlatformsContext } from './context.ts'
import { createPlatform } from './create-platform.ts'
import { deletePlatform } from './delete-platform.ts'
import { platformRecord } from './platform-record.ts'
import { rotateSecret, rotateWebhookSecret } from './secrets.ts'
import { updatePlatform } from './update-platform.ts'

export function servePlatforms(serve: Serve, context: PlatformsContext): void {
  const { database, vault } = context

  serve(signUpRoute(context), async ({ caller, body }) => {
    const { platform, platformSecret, webhookSecret } = await createPlatform(context, actorOf(caller), body)
    return {
      ...platformRecord(vault, platform),
      platform_secret: platformSecret,
      webhook_secret: webhookSecret,
    }
  })

  serve(routes.getCurrentPlatform, async ({ caller }) => {
    const id = formatId('plt', caller.platformId)
    return platformRecord(vault, await requirePlatformAccess(database, caller, id))
  })

  serve(routes.getPlatform, async ({ caller, params }) =>
    platformRecord(vault, await requirePlatformAccess(database, caller, params.platform_id)),
  )

  serve(routes.updatePlatform, async ({ caller, params, body }) => {
    const { id } = await requireLivingPlatform(database, caller, params.platform_id)
    return platformRecord(vault, await updatePlatform(context, actorOf(caller), id, body))
  })

  serve(routes.deletePlatform, async ({ caller, params }) => {
    const { id } = await requirePlatformAccess(database, caller, params.platform_id)
    return platformRecord(vault, await deletePlatform(context, actorOf(caller), id))
  })

  serve(
    routes.rotatePlatformSecret,
    async ({ caller, params }) => {
      const { id } = await requireLivingPlatform(database, caller, params.platform_id)
      return {
        platform_id: formatId('plt', id),
        platform_secret: await rotateSecret(context, actorOf(caller), id),
      }
    },
    { stops: true },
  )

  serve(
    routes.rotateWebhookSecret,
    async ({ caller, params }) => {
      const { id } = await requireLivingPlatform(database, caller, params.platform_id)
      const { secret, previousUntil } = await rotateWebhookSecret(context, actorOf(caller), id)
      return {
        platform_id: formatId('plt', id),
        webhook_secret: secret,
        previous_secret_expires_at: previousUntil.toISOString(),
      }
    },
    { stops: true },
  )
}

/** Sign-up: for anyone while it is open, otherwise for administrators only. */
function signUpRoute({ signupOpen }: PlatformsContext) {
  const { createPlatform: open } = routes
  return signupOpen ? open : ({ ...open, who: ['admin'] } as const)
}
