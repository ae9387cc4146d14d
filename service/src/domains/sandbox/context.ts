import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Jobs } from '../../operations/jobs.ts'
import type { FundingContext } from '../banking/index.ts'
import type { SandboxGateway } from './providers/payment-gateway.ts'
import type { SandboxPayouts } from './providers/payouts.ts'

/**
 * The dependencies of sandbox mode, whichever gateway it has. It does not exist in live mode, so neither do its routes.
 */
export interface SandboxMode {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** The last one-time code that was sent to a phone of ten digits; null when none was sent. */
  readonly lastOtp: (phone: string) => Promise<string | null>
  /** The last text messages that were sent to a phone of ten digits, the newest first. */
  readonly receivedMessages: (
    phone: string,
  ) => Promise<readonly { readonly text: string; readonly sentAt: Date }[]>
  /** A function, because the jobs are created from all domains, this one included. */
  readonly jobs: () => Pick<Jobs, 'runDue'>
}

/** The same with a simulated gateway and bank. */
export interface SandboxContext extends SandboxMode {
  readonly funding: FundingContext
  readonly gateway: SandboxGateway
  readonly payouts: Pick<SandboxPayouts, 'simulation'>
}
