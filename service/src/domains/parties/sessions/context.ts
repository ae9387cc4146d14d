import type { Database } from '../../../db/database.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { RiskSignals } from '../../risk/index.ts'
import type { OtpDispatcher } from './outbox.ts'

/** What login, sessions and logout work with. */
export interface SessionsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** Ten digits each. */
  readonly adminPhones: readonly string[]
  /** An administrator's TOTP secret in base32, by phone; empty: none is asked for. */
  readonly adminTotpSecrets: ReadonlyMap<string, string>
  readonly signals: Pick<RiskSignals, 'wrongLoginCode'>
  readonly otpDispatcher: OtpDispatcher
}
