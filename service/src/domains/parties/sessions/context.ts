import type { Database, Queryable } from '../../../db/database.ts'
import type { SessionCaller } from '../../../http/caller.ts'
import type { Clock } from '../../../kernel/clock.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { RiskSignals } from '../../risk/index.ts'
import type { OtpDispatcher } from './otp-dispatcher.ts'

/** The dependencies of login, sessions and logout. */
export interface SessionsContext {
  readonly database: Database
  readonly clock: Clock
  readonly vault: Vault
  /** The phones of administrators, ten digits each. */
  readonly adminPhones: readonly string[]
  /** The TOTP secrets of administrators in base32, by phone; empty: no second factor is required. */
  readonly adminTotpSecrets: ReadonlyMap<string, string>
  readonly signals: Pick<RiskSignals, 'wrongLoginCode'>
  readonly otpDispatcher: OtpDispatcher
}

/** Sessions that a person ended, in the transaction that ends them. Sessions that expire are not among them. */
export type OnSessionsEnded = (
  tx: Queryable,
  ended: { readonly caller: SessionCaller; readonly sessionIds: readonly Uuid[]; readonly now: Date },
) => Promise<void>
