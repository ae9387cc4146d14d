import type { Database } from '../../../db/database.ts'
import type { PayoutProvider } from '../../../gateways/payout-provider.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Gateways } from '../../banking/index.ts'

/** What comparing the book with the gateway works with. It reads the book and never posts to it. */
export interface ReconciliationContext {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly gateways: Gateways
  readonly payoutProvider: PayoutProvider
  /** How long to wait before a question without an answer is asked again; as often as there are pauses. */
  readonly pausesMs?: readonly number[]
}
