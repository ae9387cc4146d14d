import { OTP_VALID_S } from '@batua/contract'
import type { Refusal } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'

/** How often a code may be tried. */
export const TRIES = 5
export const CODE_VALID_MS = OTP_VALID_S * 1_000

const RESEND_AFTER_MS = 30_000
/** Codes an hour for one network or browser without a login in between. */
const CODES_AN_HOUR = 10

/** Messages an hour to one phone on request of unknown places, before a pause applies. */
export const UNKNOWN_PLACES_CODES_AN_HOUR = 20
/** The pause then: shorter than a code is valid, so the phone always has a valid code. */
export const UNKNOWN_PLACES_PAUSE_MS = 180_000

/**
 * Above this many tries an hour from unknown places, a login of the phone from an unknown place takes two codes, one
 * after the other. So no holder is locked out, and guessing both codes is almost impossible.
 */
export const UNKNOWN_PLACES_TRIES_AN_HOUR = 100
/** The same above this many wrong tries an hour from unknown places, over all phones. */
export const ALL_WRONG_TRIES_AN_HOUR = 1_000
/** How long the first of two codes is remembered. */
export const SECOND_CODE_MS = 600_000

/** A code sent on request of an unknown place. While it is valid, it can be used at every unknown place. */
export interface SharedCode {
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** When codes were sent to a phone, oldest first. */
export interface Sent {
  /** For the requesting place. */
  readonly here: readonly Date[]
  /** For all unknown places. */
  readonly unknownPlaces: readonly Date[]
}

export interface SendFacts extends Sent {
  /** Whether the phone has logged in from this place before. */
  readonly isKnown: boolean
  /** The last code sent for an unknown place; null: none, or it was used. */
  readonly shared: SharedCode | null
}

export type NewCode =
  /** A message is sent; the moments of the last hour's messages, this one included. */
  | { readonly kind: 'code'; readonly sent: Sent }
  /** No message is sent, because the code that the phone already has is valid here too. */
  | { readonly kind: 'shared'; readonly sent: Sent; readonly code: SharedCode }

/**
 * Decides whether a phone gets a code now. Requests from unknown places are never refused; above a limit, fewer
 * messages are sent. They do not limit a known place.
 */
export function decideCode(
  { here, unknownPlaces, isKnown, shared }: SendFacts,
  now: Date,
): Refusal | NewCode {
  const last = here.at(-1)
  if (last !== undefined && ageMs(last, now) < RESEND_AFTER_MS) {
    return rateLimitExceeded('A code was sent just now: send that one', 1, RESEND_AFTER_MS - ageMs(last, now))
  }
  const recent = within(CODES_AN_HOUR, here, now)
  const [oldest] = recent
  if (oldest !== undefined && recent.length === CODES_AN_HOUR) {
    const what = `${CODES_AN_HOUR} codes were sent within an hour without a login: send the last one while it is good`
    return rateLimitExceeded(what, CODES_AN_HOUR, HOUR_MS - ageMs(oldest, now))
  }
  const sentHere = [...recent, now]
  if (isKnown) return { kind: 'code', sent: { here: sentHere, unknownPlaces } }
  const others = within(UNKNOWN_PLACES_CODES_AN_HOUR, unknownPlaces, now)
  const lastOther = others.at(-1)
  const isShort = others.length < UNKNOWN_PLACES_CODES_AN_HOUR
  const isFarApart = lastOther === undefined || ageMs(lastOther, now) >= UNKNOWN_PLACES_PAUSE_MS
  if (isShort || isFarApart || shared === null || shared.expiresAt <= now) {
    const latest = [...others, now].slice(-UNKNOWN_PLACES_CODES_AN_HOUR)
    return { kind: 'code', sent: { here: sentHere, unknownPlaces: latest } }
  }
  return { kind: 'shared', sent: { here: sentHere, unknownPlaces: others }, code: shared }
}

/** The facts about a right code from an unknown place. */
export interface UnknownPlaceTry {
  /** Tries for this phone from unknown places within the hour, this one included. */
  readonly tries: number
  /** Wrong tries from unknown places within the hour, over all phones. */
  readonly wrongTries: number
  /** Until when a first code is remembered at this place; null: there was none. */
  readonly secondUntil: Date | null
}

/** Decides whether a right code from an unknown place logs in, or is the first of two. */
export function needsSecondCode({ tries, wrongTries, secondUntil }: UnknownPlaceTry, now: Date): boolean {
  if (secondUntil !== null && secondUntil > now) return false
  return tries > UNKNOWN_PLACES_TRIES_AN_HOUR || wrongTries > ALL_WRONG_TRIES_AN_HOUR
}

/** The latest moments of the last hour, at most this many. */
function within(most: number, moments: readonly Date[], now: Date): Date[] {
  return moments.filter(moment => ageMs(moment, now) < HOUR_MS).slice(-most)
}

function ageMs(sent: Date, now: Date): number {
  return now.getTime() - sent.getTime()
}
