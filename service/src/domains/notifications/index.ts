/** Notifications of owners: by Web Push and by messages, each once. */
export type { MessageChannel, NotificationsContext } from './context.ts'
export { notificationFanOut } from './fan-out.ts'
export { openPushKey } from './push-key.ts'
export { serveNotifications } from './routes.ts'
export { notificationJobs } from './send-due.ts'
export { unsubscribeSessions } from './subscribe.ts'
