import type { Database } from '../../../db/database.ts'
import type { PaymentGateway } from '../../../gateways/payment-gateway.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Logger } from '../../../kernel/logger.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'

/** The gateways of this service: the one for new orders, and all that may still have old ones. */
export interface Gateways {
  readonly current: PaymentGateway
  readonly all: readonly PaymentGateway[]
  named(name: string): PaymentGateway | undefined
}

export function gatewaysOf(current: PaymentGateway, ...older: readonly PaymentGateway[]): Gateways {
  const all = [current, ...older]
  return { current, all, named: name => all.find(gateway => gateway.name === name) }
}

/** The dependencies of the funding use cases. */
export interface FundingContext {
  readonly database: Database
  readonly ledger: Ledger
  readonly clock: Clock
  readonly vault: Vault
  readonly gateways: Gateways
  readonly logger: Logger
  /** The base URL of the checkout pages, without a slash at the end. */
  readonly checkoutUrl: string
}
