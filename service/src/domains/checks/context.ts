import type { Database, Queryable } from '../../db/database.ts'
import type { CheckedTable } from '../../db/row-mac.ts'
import type { PayoutProvider } from '../../gateways/payout-provider.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Logger } from '../../kernel/logger.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Holdings } from '../../ledger/index.ts'
import { type Gateways, sumPayoutsPending } from '../banking/index.ts'
import { sumAuthorized, sumHeld } from '../payments/index.ts'

/** The balances that the accounts of waiting money must have, from the records of their domains. */
export const HOLDINGS: Holdings = {
  escrow: sumHeld,
  authorizations: sumAuthorized,
  payouts: sumPayoutsPending,
}

/** The dependencies of the ledger check. */
export interface LedgerCheckContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  readonly logger: Pick<Logger, 'error'>
  readonly holdings: Holdings
  /** The tables whose rows have MACs, in the order in which a round goes through them. */
  readonly tables: readonly CheckedTable[]
  /** Which of these accounts' agents are not who they were created as. */
  readonly findAlteredAgents: (db: Queryable, vault: Vault, ids: readonly Uuid[]) => Promise<readonly Uuid[]>
}

/** The dependencies of the reconciliation. It reads the ledger and never posts to it. */
export interface ReconciliationContext {
  readonly database: Database
  readonly clock: Clock
  readonly logger: Pick<Logger, 'info' | 'warn' | 'error'>
  readonly gateways: Gateways
  readonly payoutProvider: PayoutProvider
  /** The pauses before a query without a response is repeated; as many repetitions as pauses. */
  readonly pausesMs?: readonly number[]
}
