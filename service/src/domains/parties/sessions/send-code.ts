import type { Queryable } from '../../../db/database.ts'
import type { PhoneSessionKind } from '../../../http/admission/session-cookies.ts'
import { raise } from '../../../kernel/app-error.ts'
import { keepSent, keepTrustedSent, lockSent, replaceCode } from './code-store.ts'
import type { SessionsContext } from './context.ts'
import { CODE_VALID_MS, decideCode, TRIES } from './decide.ts'
import { hashCode, newCode, requirePhone, turnsOf } from './phone-login.ts'
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
  audience: PhoneSessionKind,
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
  const { login, network, browser, known } = await findPlace(database, vault, audience, phone, origin)
  const requester = { ...login, place: browser ?? network }

  const send = async (tx: Queryable) => {
    const { shared, ...sent } = await lockSent(tx, requester, known, now)
    const allowed = decideCode({ ...sent, shared }, now)
    if (allowed.kind === 'refusal') raise(allowed)
    const { isTrusted } = allowed
    const here = allowed.kind === 'shared' ? allowed.code : made
    await replaceCode(tx, requester, { ...here, triesLeft: TRIES, isTrusted }, allowed.sent.here)
    if (isTrusted && known !== null)
      await keepTrustedSent(tx, requester, known, allowed.sent.known ?? [], now)
    await keepSent(tx, login, allowed.sent.unknownPlaces, isTrusted ? shared : here, now)
    return { expiresAt: here.expiresAt, isSent: allowed.kind === 'code' }
  }
  const { expiresAt, isSent } = await database.inTransaction(send, turnsOf(login))

  const isOwner = () => isOwnersPhone(database, login.phoneIndex)
  const isAdmin = async () => adminPhones.includes(phone)
  const isWanted = audience === 'owner' ? isOwner : isAdmin
  otpDispatcher.dispatch(
    { phone, code, validMinutes: CODE_VALID_MS / 60_000 },
    async () => isSent && isWanted(),
  )
  return { expiresAt }
}
