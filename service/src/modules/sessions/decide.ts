import { OTP_VALID_S } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { HOUR_MS } from '../../kernel/clock.ts'

/** How often a code may be tried in all. */
export const TRIES = 5
export const CODE_VALID_MS = OTP_VALID_S * 1_000

const RESEND_AFTER_MS = 30_000
/** So many codes an hour without a login between, against guessing and against messages at our cost. */
const CODES_AN_HOUR = 10

/** A code that may be sent: when the ones of the last hour were, this one included. */
export interface NewCode {
  readonly kind: 'code'
  readonly sentAt: readonly Date[]
}

/** Whether a phone may get a code now, by the moments of those before, oldest first. */
export function decideCode(sentAt: readonly Date[], now: Date): Refusal | NewCode {
  const ageMs = (sent: Date) => now.getTime() - sent.getTime()
  const last = sentAt.at(-1)
  if (last !== undefined && ageMs(last) < RESEND_AFTER_MS) {
    return tooSoon('A code was sent just now', RESEND_AFTER_MS - ageMs(last))
  }
  const recent = sentAt.filter(sent => ageMs(sent) < HOUR_MS).slice(-CODES_AN_HOUR)
  const [oldest] = recent
  if (oldest !== undefined && recent.length === CODES_AN_HOUR) {
    return tooSoon(`${CODES_AN_HOUR} codes were sent within an hour`, HOUR_MS - ageMs(oldest))
  }
  return { kind: 'code', sentAt: [...recent, now] }
}

function tooSoon(what: string, waitMs: number): Refusal {
  const seconds = Math.ceil(waitMs / 1_000)
  return refuse('rate_limit_exceeded', `${what}; ask again in ${seconds} s`, {
    headers: { 'retry-after': String(seconds) },
  })
}
