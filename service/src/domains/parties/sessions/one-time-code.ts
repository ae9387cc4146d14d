import { randomInt } from 'node:crypto'
import { OTP_LENGTH } from '@batua/contract'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Audience } from './audience.ts'

/** Six digits, each number as likely as any other: `randomInt` draws again where a remainder would favour some. */
export function newCode(): string {
  return String(randomInt(10 ** OTP_LENGTH)).padStart(OTP_LENGTH, '0')
}

/** A million codes are soon tried, so only a digest with the master key keeps one secret in the database. */
export function hashCode(vault: Vault, audience: Audience, phone: string, code: string): Buffer {
  return vault.blindIndex(`${audience}/${phone}/${code}`, 'login_codes.code')
}
