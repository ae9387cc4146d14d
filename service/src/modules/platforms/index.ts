export type { PlatformsContext } from './context.ts'
export { createAuthenticators } from './credentials.ts'
export { servePlatforms } from './routes.ts'
export { openWebhookSecret } from './secrets.ts'
