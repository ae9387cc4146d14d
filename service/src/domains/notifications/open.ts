import type { Serve } from '../../http/serve.ts'
import { systemClock } from '../../kernel/clock.ts'
import type { Job } from '../../operations/jobs.ts'
import type { OnSessionsEnded } from '../parties/index.ts'
import { openSender } from '../webhooks/index.ts'
import type { NotificationsContext } from './context.ts'
import { notificationFanOut } from './fan-out.ts'
import { openPushKey } from './push-key.ts'
import { serveNotifications } from './routes.ts'
import { notificationJobs } from './send-due.ts'
import { unsubscribeSessions } from './subscribe.ts'

/** Push services respond within a second. */
const TIMEOUT_MS = 5_000
/** To one push service. */
const MAX_CONNECTIONS = 8

/** The notifications of one node. */
export interface Notifications {
  readonly jobs: readonly Job[]
  serve(serve: Serve): void
  readonly onSessionsEnded: OnSessionsEnded
  close(): Promise<void>
}

type Services = Omit<NotificationsContext, 'mode' | 'baseUrl' | 'pushKey' | 'pushSender' | 'wallClock'>

/** Opens the key and the connections to push services. The first start of the service makes the key. */
export async function openNotifications(
  services: Services,
  { mode, baseUrl }: Pick<NotificationsContext, 'mode' | 'baseUrl'>,
): Promise<Notifications> {
  const pushSender = openSender({ mode, maxConnections: MAX_CONNECTIONS, timeoutMs: TIMEOUT_MS })
  const pushKey = await openPushKey(services)
  const context = { ...services, mode, baseUrl, pushKey, pushSender, wallClock: systemClock() }
  return {
    jobs: [notificationFanOut(context), ...notificationJobs(context)],
    serve: serve => serveNotifications(serve, context),
    onSessionsEnded: (tx, ended) => unsubscribeSessions(tx, services.vault, ended),
    close: () => pushSender.close(),
  }
}
