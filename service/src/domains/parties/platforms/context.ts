import type { Database, Queryable } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'

/** What the use cases of platforms work with. */
export interface PlatformsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** Whether anyone may open a platform; otherwise only an administrator. */
  readonly signupOpen: boolean
  readonly mode: 'sandbox' | 'live'
  /** How many agents of a platform have money elsewhere than in their wallets. */
  readonly countMoneyElsewhere: (
    db: Queryable,
    platformId: Uuid,
  ) => Promise<{ readonly withEscrow: number; readonly withPayout: number }>
  /** What waits to be told to the platform is tried at once: its address is another, or was set again. */
  readonly resumeWebhooks: (tx: Queryable, platformId: Uuid, now: Date) => Promise<void>
}
