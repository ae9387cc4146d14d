import { randomInt } from 'node:crypto'
import { OTP_LENGTH } from '@batua/contract'
import type { PhoneSessionKind } from '../../../http/admission/session-cookies.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { normalisePhone } from '../owners/normalise.ts'
import { personalIndex } from '../owners/personal-data.ts'

/** Absolute: a session is never prolonged (contract section 5). */
export const SESSION_MS: Record<PhoneSessionKind, number> = { owner: 12 * HOUR_MS, admin: HOUR_MS }

/** The codes of a phone, by its digest, for one kind of login. */
export interface PhoneLogin {
  readonly audience: PhoneSessionKind
  readonly phoneIndex: Buffer
}

/**
 * The codes of a phone for one requester: a browser, or all callers without cookies of one network. Each has codes,
 * tries and pauses of its own.
 */
export interface Requester extends PhoneLogin {
  readonly place: Buffer
}

export function phoneLoginOf(vault: Vault, audience: PhoneSessionKind, phone: string): PhoneLogin {
  return { audience, phoneIndex: personalIndex(vault, 'phone', phone) }
}

/** Logins of one phone wait for its row one after the other, before they take a connection. */
export function turnsOf({ audience, phoneIndex }: PhoneLogin): { readonly turns: readonly string[] } {
  return { turns: [`${audience} login ${phoneIndex.toString('hex')}`] }
}

/** A phone in any notation as ten digits. */
export function requirePhone(written: string): string {
  const phone = normalisePhone(written)
  if (phone !== null) return phone
  throw new AppError(
    'validation_error',
    'A phone is an Indian mobile number: 10 digits, the first from 6 to 9',
    {
      field: 'phone',
    },
  )
}

/** Six digits with a uniform distribution: `randomInt` avoids the bias of a remainder. */
export function newCode(): string {
  return String(randomInt(10 ** OTP_LENGTH)).padStart(OTP_LENGTH, '0')
}

/** A keyed digest, because a plain digest of a million possible codes could be reversed quickly. */
export function hashCode(vault: Vault, audience: PhoneSessionKind, phone: string, code: string): Buffer {
  return vault.blindIndex(`${audience}/${phone}/${code}`, 'login_codes.code')
}
