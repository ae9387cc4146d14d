import type { Queryable } from '../../../db/database.ts'
import type { AdminCaller, OwnerCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { selectSession, sessionPhoneOf } from '../sessions/store.ts'
import type { PasskeysContext } from './context.ts'
import { type Passkey, type Person, selectPasskeys } from './store.ts'

/** The caller of a session that a code or a passkey opened. */
export type PersonCaller = OwnerCaller | AdminCaller

export interface PersonOfSession extends Person {
  /** Ten digits. */
  readonly phone: string
}

/** The person of a session; it fails if another request ended the session after the cookie was checked. */
export async function personOf(
  db: Queryable,
  vault: Vault,
  { kind, sessionId }: PersonCaller,
): Promise<PersonOfSession> {
  const session = await selectSession(db, sessionId)
  if (session === null) {
    throw new AppError('authentication_error', 'The session is over; log in again')
  }
  const { phoneIndex } = session
  return { audience: kind, phoneIndex, phone: vault.decrypt(session.phone, sessionPhoneOf(sessionId)) }
}

/** The passkeys of the person of a session that can be used at this time. */
export async function usablePasskeys(
  { database, vault }: Pick<PasskeysContext, 'database' | 'vault'>,
  caller: PersonCaller,
  now: Date,
): Promise<Passkey[]> {
  const passkeys = await selectPasskeys(database, vault, await personOf(database, vault, caller))
  return passkeys.filter(passkey => isUsable(passkey, now))
}

export function isRemoved({ removedAt }: Passkey, now: Date): boolean {
  return removedAt !== null && removedAt <= now
}

export function isUsable(passkey: Passkey, now: Date): boolean {
  return passkey.effectiveAt <= now && !isRemoved(passkey, now)
}
