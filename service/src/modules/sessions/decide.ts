import { OTP_VALID_S } from '@batua/contract'
import type { Refusal } from '../../kernel/app-error.ts'
import { HOUR_MS } from '../../kernel/clock.ts'
import { rateLimitExceeded } from '../../kernel/rate-limit-exceeded.ts'

/** How often a code may be tried in all. */
export const TRIES = 5
export const CODE_VALID_MS = OTP_VALID_S * 1_000

const RESEND_AFTER_MS = 30_000
/** So many codes an hour from one address without a login between, against messages at our cost. */
const CODES_AN_HOUR = 10

/**
 * So many from all addresses together: five tries each are 500 guesses an hour of a million codes, on average
 * more than eleven weeks without a pause. Were it lower, fewer addresses would do to keep the holder out.
 */
export const CODES_AN_HOUR_ANYWHERE = 100

/** When codes were sent to a phone, oldest first. */
export interface Sent {
  /** From the address that asks now. */
  readonly here: readonly Date[]
  /** From every address. */
  readonly anywhere: readonly Date[]
}

/** A code that may be sent: when the ones of the last hour were, this one included. */
export interface NewCode {
  readonly kind: 'code'
  readonly sent: Sent
}

/** Whether a phone may get a code now, by the moments of those before. */
export function decideCode(sent: Sent, now: Date): Refusal | NewCode {
  const last = sent.here.at(-1)
  if (last !== undefined && ageMs(last, now) < RESEND_AFTER_MS) {
    return rateLimitExceeded('A code was sent just now', 1, RESEND_AFTER_MS - ageMs(last, now))
  }
  const here = sendWithin(CODES_AN_HOUR, sent.here, now)
  if (!Array.isArray(here)) return here
  const anywhere = sendWithin(CODES_AN_HOUR_ANYWHERE, sent.anywhere, now)
  if (!Array.isArray(anywhere)) return anywhere
  return { kind: 'code', sent: { here, anywhere } }
}

/** The moments of the last hour with this one, unless they are as many as may be. */
function sendWithin(most: number, sentAt: readonly Date[], now: Date): Refusal | Date[] {
  const recent = sentAt.filter(sent => ageMs(sent, now) < HOUR_MS).slice(-most)
  const [oldest] = recent
  if (oldest === undefined || recent.length < most) return [...recent, now]
  return rateLimitExceeded(`${most} codes were sent within an hour`, most, HOUR_MS - ageMs(oldest, now))
}

function ageMs(sent: Date, now: Date): number {
  return now.getTime() - sent.getTime()
}
