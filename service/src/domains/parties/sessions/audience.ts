import type { SessionKind } from '../../../http/session-cookies.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'

/** Owners and administrators log in apart: the same phone may be both, with codes and sessions of its own for each. */
export type Audience = SessionKind

/** Absolute: a session is never prolonged (contract section 5). */
export const SESSION_MS: Record<Audience, number> = { owner: 12 * HOUR_MS, admin: HOUR_MS }
