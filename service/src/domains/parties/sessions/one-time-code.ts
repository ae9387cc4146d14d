import { randomInt } from 'node:crypto'
import { OTP_LENGTH } from '@batua/contract'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Audience } from './phone-login.ts'

/** Six digits with a uniform distribution: `randomInt` avoids the bias of a remainder. */
export function newCode(): string {
  return String(randomInt(10 ** OTP_LENGTH)).padStart(OTP_LENGTH, '0')
}

/** A keyed digest, because a plain digest of a million possible codes could be reversed quickly. */
export function hashCode(vault: Vault, audience: Audience, phone: string, code: string): Buffer {
  return vault.blindIndex(`${audience}/${phone}/${code}`, 'login_codes.code')
}
