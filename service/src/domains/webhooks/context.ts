import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Tracing } from '../../kernel/tracing.ts'
import type { disableWebhookUrl, readWebhookTarget } from '../parties/index.ts'
import type { DeliveryOutcome } from './delivering/attempt.ts'
import type { Throttle } from './delivering/throttle.ts'

/** The context of the webhook use cases. */
export interface WebhooksContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly mode: 'sandbox' | 'live'
}

/** Functions of platforms. The deliverer gets them, because their index would load every route in its thread. */
export interface WebhookTargets {
  readonly read: typeof readWebhookTarget
  readonly disable: typeof disableWebhookUrl
}

/** The context of one node's deliverer. */
export interface DelivererContext extends WebhooksContext {
  readonly targets: WebhookTargets
  /** null: deliveries are not traced. */
  readonly tracing: Tracing | null
  /** The holder of this process's leases. */
  readonly node: Uuid
  /** Signs with the real time, never the sandbox's test clock, because receivers compare it with their own clock. */
  readonly wallClock: Pick<Clock, 'now'>
  /** In [0, 1). */
  readonly random: () => number
  readonly throttle: Throttle
  readonly onAttempt: (status: DeliveryOutcome['status']) => void
  readonly onError: (error: unknown) => void
}
