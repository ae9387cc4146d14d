/** Notifications of owners: by Web Push and by messages, each once. */
export type { MessageChannel } from './context.ts'
export { openNotifications } from './open.ts'
