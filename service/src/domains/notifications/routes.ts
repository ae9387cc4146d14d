import { routes } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import type { NotificationsContext } from './context.ts'
import { changeSettings, readSettings } from './settings.ts'
import { listSubscriptions, subscribe, unsubscribe } from './subscribe.ts'

export function serveNotifications(serve: Serve, context: NotificationsContext): void {
  serve(routes.getNotificationSettings, ({ caller }) => readSettings(context, caller))

  serve(routes.updateNotificationSettings, ({ caller, body, now }) =>
    changeSettings(context, caller, body, now),
  )

  serve(routes.createPushSubscription, ({ caller, body, headers, now }) =>
    subscribe(context, caller, { body, userAgent: headers['user-agent'], now }),
  )

  serve(routes.listPushSubscriptions, async ({ caller }) => ({
    push_subscriptions: await listSubscriptions(context, caller),
  }))

  serve(routes.endPushSubscription, async ({ caller, params, now }) => {
    const id = await unsubscribe(context, caller, parseId('psub', params.subscription_id), now)
    return { subscription_id: formatId('psub', id), ended: true } as const
  })
}
