import { OTP_VALID_S } from '@batua/contract'
import type { Refusal } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'

/** How often a code may be tried in all. */
export const TRIES = 5
export const CODE_VALID_MS = OTP_VALID_S * 1_000

const RESEND_AFTER_MS = 30_000
/** So many codes an hour to one network or browser without a login between. */
const CODES_AN_HOUR = 10

/** So many messages an hour to one phone that strangers ask for, before they come at a pace. */
export const STRANGERS_CODES_AN_HOUR = 20
/** Then so far apart, at least: shorter than a code lives, so one that can be used is always on the phone. */
export const STRANGERS_PAUSE_MS = 180_000

/**
 * Above so many tries an hour by strangers a phone's login from a place that is not known takes two codes, one after
 * the other. So nobody is ever kept out, and guessing both is next to impossible.
 */
export const STRANGERS_TRIES_AN_HOUR = 100
/** The same above so many wrong tries an hour by strangers over all phones. */
export const ALL_WRONG_TRIES_AN_HOUR = 1_000
/** How long the first of two codes counts. */
export const SECOND_CODE_MS = 600_000

/** A code that was sent at the request of a stranger, and is good at every stranger's place while it lives. */
export interface SharedCode {
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** When codes were sent to a phone, oldest first. */
export interface Sent {
  /** To the place that asks now. */
  readonly here: readonly Date[]
  /** To all places that were not known. */
  readonly strangers: readonly Date[]
}

export interface SendFacts extends Sent {
  /** The phone has logged in from this place before. */
  readonly isKnown: boolean
  /** The last code that was sent for a stranger; null: there is none, or it was used. */
  readonly shared: SharedCode | null
}

export type NewCode =
  /** A message goes out: when the ones of the last hour did, this one included. */
  | { readonly kind: 'code'; readonly sent: Sent }
  /** No message: the code that is on the phone already is good here too. */
  | { readonly kind: 'shared'; readonly sent: Sent; readonly code: SharedCode }

/**
 * Whether a phone may get a code now. What strangers ask for bounds the messages that go out and refuses nobody; a
 * place that is known is not braked by it at all.
 */
export function decideCode({ here, strangers, isKnown, shared }: SendFacts, now: Date): Refusal | NewCode {
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
  if (isKnown) return { kind: 'code', sent: { here: sentHere, strangers } }
  const others = within(STRANGERS_CODES_AN_HOUR, strangers, now)
  const lastOther = others.at(-1)
  const isShort = others.length < STRANGERS_CODES_AN_HOUR
  const isFarApart = lastOther === undefined || ageMs(lastOther, now) >= STRANGERS_PAUSE_MS
  if (isShort || isFarApart || shared === null || shared.expiresAt <= now) {
    const latest = [...others, now].slice(-STRANGERS_CODES_AN_HOUR)
    return { kind: 'code', sent: { here: sentHere, strangers: latest } }
  }
  return { kind: 'shared', sent: { here: sentHere, strangers: others }, code: shared }
}

/** What is known of a right code that comes from a place where its phone has never logged in. */
export interface StrangersTry {
  /** Tries of this phone by strangers within the hour, this one included. */
  readonly tries: number
  /** Wrong tries of strangers within the hour, over all phones. */
  readonly wrongTries: number
  /** Until when a first code counts at this place; null: there was none. */
  readonly secondUntil: Date | null
}

/** Whether a right code logs a stranger in, or is the first of two. */
export function needsSecondCode({ tries, wrongTries, secondUntil }: StrangersTry, now: Date): boolean {
  if (secondUntil !== null && secondUntil > now) return false
  return tries > STRANGERS_TRIES_AN_HOUR || wrongTries > ALL_WRONG_TRIES_AN_HOUR
}

/** The latest moments of the last hour, at most so many. */
function within(most: number, moments: readonly Date[], now: Date): Date[] {
  return moments.filter(moment => ageMs(moment, now) < HOUR_MS).slice(-most)
}

function ageMs(sent: Date, now: Date): number {
  return now.getTime() - sent.getTime()
}
