import type { Queryable } from '../../../db/database.ts'
import type { PhoneSessionKind } from '../../../http/admission/session-cookies.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { totpStep } from '../../../kernel/totp.ts'
import type { SessionsContext } from './context.ts'
import { useTotpStep } from './guess-store.ts'

/** The outcome of an administrator's second factor. */
export type SecondFactor =
  /** No second factor is required. */
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'right'; readonly secret: string; readonly step: number }

/** A secret that nobody has. It is checked for phones of non-administrators, so that responses take the same time. */
const NOBODYS_SECRET = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** Whether administrators need a second factor; the same for every phone. */
export function isTotpNeeded({ adminTotpSecrets }: SessionsContext, audience: PhoneSessionKind): boolean {
  return audience === 'admin' && adminTotpSecrets.size > 0
}

/** Checks a code of the authenticator app by the machine's clock, because the sandbox clock may have been advanced. */
export function checkSecondFactor(
  context: SessionsContext,
  audience: PhoneSessionKind,
  phone: string,
  totp: string | undefined,
): SecondFactor {
  if (!isTotpNeeded(context, audience)) return { kind: 'none' }
  const { adminTotpSecrets, adminPhones, clock } = context
  const secret = adminTotpSecrets.get(phone)
  const machineMs = clock.now().getTime() - clock.offsetMs()
  const step = totpStep(secret ?? NOBODYS_SECRET, totp ?? '', machineMs)
  // In sandbox mode some administrators may have no secret.
  if (secret === undefined) return adminPhones.includes(phone) ? { kind: 'none' } : { kind: 'wrong' }
  return step === null ? { kind: 'wrong' } : { kind: 'right', secret, step }
}

/** Uses the code up; false if it was used before on any node. */
export async function useSecondFactor(tx: Queryable, vault: Vault, factor: SecondFactor): Promise<boolean> {
  if (factor.kind !== 'right') return factor.kind === 'none'
  return useTotpStep(tx, vault.blindIndex(factor.secret, 'login_totp_steps.secret'), factor.step)
}
