import type { Database } from '../../../db/database.ts'
import type { PayoutProvider } from '../../../gateways/payout-provider.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { CalendarReader } from '../../../kernel/holiday-file.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'

/** The dependencies of the payout use cases. */
export interface PayoutsContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Logger
  readonly payoutProvider: PayoutProvider
  readonly holidays: CalendarReader
}
