import { OTP_VALID_S } from '@batua/contract'
import type { Refusal } from '../../../kernel/app-error.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { rateLimitExceeded } from '../../../kernel/rate-limit-exceeded.ts'

/** How often a code may be tried. */
export const TRIES = 5
export const CODE_VALID_MS = OTP_VALID_S * 1_000

/** The pause between two codes for one requester, and after this many an hour without a login. */
const RESEND_AFTER_MS = 30_000
const CODES_AN_HOUR = 10
const LATER_RESEND_AFTER_MS = 180_000

/** Codes an hour that a known place gets without the limits on unknown places. */
const TRUSTED_CODES_AN_HOUR = 10

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
/** Above this many it takes three codes. */
export const ALL_WRONG_TRIES_FOR_THREE_CODES = 20_000
/** How long right codes that were not enough are remembered. */
export const RIGHT_CODES_MS = 600_000

/** A code sent on request of an unknown place. While it is valid, it can be used at every unknown place. */
export interface SharedCode {
  readonly hash: Buffer
  readonly expiresAt: Date
}

/** When codes were sent to a phone, oldest first. */
export interface Sent {
  /** For this requester: a browser, or all callers without cookies of one network. */
  readonly here: readonly Date[]
  /** For all requesters of the known place; null: the phone has not logged in from here. */
  readonly known: readonly Date[] | null
  /** For all unknown places. */
  readonly unknownPlaces: readonly Date[]
}

export interface SendFacts extends Sent {
  /** The last code sent for an unknown place; null: none, or it was used. */
  readonly shared: SharedCode | null
}

export type NewCode =
  /** A message is sent; the moments of the last hour's messages, this one included. */
  | { readonly kind: 'code'; readonly isTrusted: boolean; readonly sent: Sent }
  /** No message is sent, because the code that the phone already has is valid here too. */
  | { readonly kind: 'shared'; readonly isTrusted: false; readonly sent: Sent; readonly code: SharedCode }

/**
 * Decides whether a phone gets a code now. A requester waits only for what it asked for itself. Requests from unknown
 * places are never refused; above a limit, fewer messages are sent. They do not limit a known place, and a known place
 * that asks for too many codes counts as an unknown one.
 */
export function decideCode({ here, known, unknownPlaces, shared }: SendFacts, now: Date): Refusal | NewCode {
  const recent = within(CODES_AN_HOUR, here, now)
  const pauseMs = recent.length < CODES_AN_HOUR ? RESEND_AFTER_MS : LATER_RESEND_AFTER_MS
  const last = here.at(-1)
  if (last !== undefined && ageMs(last, now) < pauseMs) {
    return rateLimitExceeded('A code was sent just now: send that one', 1, pauseMs - ageMs(last, now))
  }
  const sent = { here: [...recent, now].slice(-CODES_AN_HOUR), known, unknownPlaces }
  const trusted = known === null ? null : within(TRUSTED_CODES_AN_HOUR, known, now)
  if (trusted !== null && trusted.length < TRUSTED_CODES_AN_HOUR) {
    return { kind: 'code', isTrusted: true, sent: { ...sent, known: [...trusted, now] } }
  }
  const others = within(UNKNOWN_PLACES_CODES_AN_HOUR, unknownPlaces, now)
  const lastOther = others.at(-1)
  const isShort = others.length < UNKNOWN_PLACES_CODES_AN_HOUR
  const isFarApart = lastOther === undefined || ageMs(lastOther, now) >= UNKNOWN_PLACES_PAUSE_MS
  if (isShort || isFarApart || shared === null || shared.expiresAt <= now) {
    const latest = [...others, now].slice(-UNKNOWN_PLACES_CODES_AN_HOUR)
    return { kind: 'code', isTrusted: false, sent: { ...sent, unknownPlaces: latest } }
  }
  return { kind: 'shared', isTrusted: false, sent: { ...sent, unknownPlaces: others }, code: shared }
}

/** The facts about a right code from an unknown place. */
export interface UnknownPlaceTry {
  /** Tries for this phone from unknown places within the hour, this one included. */
  readonly tries: number
  /** Wrong tries from unknown places within the hour, over all phones. */
  readonly wrongTries: number
  /** How many codes in a row were right here, this one included. */
  readonly rightCodes: number
}

/** Decides whether a right code from an unknown place logs in, or another one is required. */
export function needsAnotherCode({ tries, wrongTries, rightCodes }: UnknownPlaceTry): boolean {
  if (wrongTries > ALL_WRONG_TRIES_FOR_THREE_CODES) return rightCodes < 3
  if (tries > UNKNOWN_PLACES_TRIES_AN_HOUR || wrongTries > ALL_WRONG_TRIES_AN_HOUR) return rightCodes < 2
  return false
}

/** The latest moments of the last hour, at most this many. */
function within(most: number, moments: readonly Date[], now: Date): Date[] {
  return moments.filter(moment => ageMs(moment, now) < HOUR_MS).slice(-most)
}

function ageMs(sent: Date, now: Date): number {
  return now.getTime() - sent.getTime()
}
