import type { Database } from '../../db/database.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Vault } from '../../kernel/secrets.ts'
import type { Jobs } from '../../operations/jobs.ts'
import type { FundingContext } from '../banking/index.ts'
import type { SandboxGateway } from './providers/payment-gateway.ts'
import type { SandboxPayouts } from './providers/payouts.ts'

/** What sandbox mode works with, whichever gateway it has. Never made in live mode, so none of its routes exist there. */
export interface SandboxMode {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** The last one-time code that was sent to a phone of ten digits; null when none was. */
  readonly lastOtp: (phone: string) => Promise<string | null>
  /** The last text messages that were sent to a phone of ten digits, the newest first. */
  readonly receivedMessages: (
    phone: string,
  ) => Promise<readonly { readonly text: string; readonly sentAt: Date }[]>
  /** Asked for when it is needed, because the jobs are made of all modules, this one too. */
  readonly jobs: () => Pick<Jobs, 'runDue'>
}

/** The same with a gateway and a bank that do what they are told. */
export interface SandboxContext extends SandboxMode {
  readonly funding: FundingContext
  readonly gateway: SandboxGateway
  readonly payouts: Pick<SandboxPayouts, 'simulation'>
}
