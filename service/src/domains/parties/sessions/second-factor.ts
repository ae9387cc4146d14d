import type { Queryable } from '../../../db/database.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { totpStep } from '../../../kernel/totp.ts'
import type { Audience } from './audience.ts'
import type { SessionsContext } from './context.ts'
import { useTotpStep } from './guess-store.ts'

/** What came of an administrator's second factor. */
export type SecondFactor =
  /** None is asked for. */
  | { readonly kind: 'none' }
  | { readonly kind: 'wrong' }
  | { readonly kind: 'right'; readonly secret: string; readonly step: number }

/** Checked for phones that are no administrator's, so that an answer takes the same time. Nobody has it. */
const NOBODYS_SECRET = 'AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'

/** Whether administrators need one. The answer is the same for every phone. */
export function isTotpNeeded({ adminTotpSecrets }: SessionsContext, audience: Audience): boolean {
  return audience === 'admin' && adminTotpSecrets.size > 0
}

/** Checks a code of the authenticator app by the machine's clock: the sandbox's clock may have been moved, phones not. */
export function checkSecondFactor(
  context: SessionsContext,
  audience: Audience,
  phone: string,
  totp: string | undefined,
): SecondFactor {
  if (!isTotpNeeded(context, audience)) return { kind: 'none' }
  const { adminTotpSecrets, adminPhones, clock } = context
  const secret = adminTotpSecrets.get(phone)
  const machineMs = clock.now().getTime() - clock.offsetMs()
  const step = totpStep(secret ?? NOBODYS_SECRET, totp ?? '', machineMs)
  // A sandbox may give a secret to some of its administrators only.
  if (secret === undefined) return adminPhones.includes(phone) ? { kind: 'none' } : { kind: 'wrong' }
  return step === null ? { kind: 'wrong' } : { kind: 'right', secret, step }
}

/** Uses the code up; false when it was used before, on whichever node. */
export async function useSecondFactor(tx: Queryable, vault: Vault, factor: SecondFactor): Promise<boolean> {
  if (factor.kind !== 'right') return factor.kind === 'none'
  return useTotpStep(tx, vault.blindIndex(factor.secret, 'login_totp_steps.secret'), factor.step)
}
