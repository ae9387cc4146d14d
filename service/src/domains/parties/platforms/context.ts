import type { Database, Queryable } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** The dependencies of the use cases of platforms. */
export interface PlatformsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** Whether anyone may create a platform; if not, only an administrator may. */
  readonly signupOpen: boolean
  readonly mode: 'sandbox' | 'live'
  /** How many agents of a platform have money in escrow, in authorizations or in pending payouts. */
  readonly countMoneyElsewhere: (
    db: Queryable,
    platformId: Uuid,
  ) => Promise<{
    readonly withEscrow: number
    readonly withAuthorization: number
    readonly withPayout: number
  }>
  /** Delivers waiting webhooks at once, because the platform's address changed or was set again. */
  readonly resumeWebhooks: (tx: Queryable, platformId: Uuid, now: Date) => Promise<void>
}
