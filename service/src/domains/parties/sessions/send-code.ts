import { raise } from '../../../kernel/app-error.ts'
import { keepSent, lockSent, replaceCode } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { CODE_VALID_MS, decideCode, TRIES } from './decide.ts'
import { hashCode, newCode } from './one-time-code.ts'
import type { Audience } from './phone-login.ts'
import { requirePhone } from './phone-login.ts'
import { findPlace, type Origin } from './place.ts'
import { isOwnersPhone } from './store.ts'

export interface CodeRequest extends Origin {
  readonly phone: string
}

/**
 * Makes a code for a phone. Writes, decisions and the response are the same for known and unknown phones; whether a
 * message is sent is decided after the response. Returns until when the code is valid, which may be one that was sent
 * before.
 */
export async function sendCode(
  context: SessionsContext,
  audience: Audience,
  { phone: written, ...origin }: CodeRequest,
  now: Date,
): Promise<{ readonly expiresAt: Date }> {
  const { database, vault, adminPhones, otpDispatcher } = context
  const phone = requirePhone(written)
  const code = newCode()
  const made = {
    hash: hashCode(vault, audience, phone, code),
    expiresAt: new Date(now.getTime() + CODE_VALID_MS),
  }
  const { owner, isKnown } = await findPlace(database, vault, audience, phone, origin)

  const { expiresAt, isSent } = await database.inTransaction(async tx => {
    const { shared, ...sent } = await lockSent(tx, owner, now)
    const allowed = decideCode({ ...sent, isKnown, shared }, now)
    if (allowed.kind === 'refusal') raise(allowed)
    const here = allowed.kind === 'shared' ? allowed.code : made
    await replaceCode(tx, owner, { ...here, triesLeft: TRIES }, allowed.sent.here)
    await keepSent(tx, owner, allowed.sent.unknownPlaces, isKnown ? shared : here, now)
    return { expiresAt: here.expiresAt, isSent: allowed.kind === 'code' }
  })

  const isOwner = () => isOwnersPhone(database, owner.phoneIndex)
  const isAdmin = async () => adminPhones.includes(phone)
  const isWanted = audience === 'owner' ? isOwner : isAdmin
  otpDispatcher.dispatch(
    { phone, code, validMinutes: CODE_VALID_MS / 60_000 },
    async () => isSent && isWanted(),
  )
  return { expiresAt }
}
