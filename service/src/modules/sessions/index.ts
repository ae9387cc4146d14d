/** Login by one-time code, for owners and for administrators, and their sessions. */
export { createSessionAuthenticators } from './authenticate.ts'
export type { SessionsContext } from './context.ts'
export { sessionJobs } from './jobs.ts'
export { type Outbox, openOutbox } from './outbox.ts'
export { requirePhone } from './phone.ts'
export { serveSessions } from './routes.ts'
export { SESSION_ROWS, sessionPhoneOf } from './store.ts'
