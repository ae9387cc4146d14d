export type { PlatformsContext } from './context.ts'
export { createAuthenticators } from './credentials.ts'
export { platformRoutes } from './routes.ts'
export { openWebhookSecret } from './secrets.ts'
