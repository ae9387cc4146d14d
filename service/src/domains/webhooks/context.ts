import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Throttle } from './delivering/throttle.ts'
import type { Verdict } from './sending/attempt.ts'

/** What the use cases of webhooks work with. */
export interface WebhooksContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly mode: 'sandbox' | 'live'
}

/** What one node's deliveries need besides. */
export interface DelivererContext extends WebhooksContext {
  /** Who holds leases. */
  readonly node: Uuid
  /** Receivers hold a signature's time against their own clock, so it is never the sandbox's moved one. */
  readonly wallClock: Pick<Clock, 'now'>
  /** In [0, 1). */
  readonly random: () => number
  readonly throttle: Throttle
  readonly onAttempt: (status: Verdict['status']) => void
  readonly onError: (error: unknown) => void
}
