import { Secret, TOTP } from 'otpauth'

/** One step to either side, for differences of clocks and for the time of typing. */
const WINDOW_STEPS = 1
const BASE32 = /^[A-Z2-7]+$/

/** A secret in the one form in which it is compared, without spaces or padding; null when it is no base32. */
export function normaliseTotpSecret(text: string): string | null {
  const secret = text.replaceAll(/[\s-]/g, '').replace(/=+$/, '').toUpperCase()
  return BASE32.test(secret) ? secret : null
}

/** How many bytes a base32 secret holds. */
export function totpSecretBytes(secret: string): number {
  return Math.floor((secret.length * 5) / 8)
}

/**
 * The 30-second step that a code of RFC 6238 belongs to (HMAC-SHA-1, six digits, as authenticator apps make them), or
 * null when it is none of this step and its neighbours.
 */
export function totpStep(secret: string, code: string, nowMs: number): number | null {
  const options = { secret: Secret.fromBase32(secret), timestamp: nowMs, window: WINDOW_STEPS }
  const stepsAway = TOTP.validate({ ...options, token: code })
  return stepsAway === null ? null : TOTP.counter({ timestamp: nowMs }) + stepsAway
}

/** The code of an authenticator app at a moment. */
export function totpAt(secret: string, nowMs: number): string {
  return TOTP.generate({ secret: Secret.fromBase32(secret), timestamp: nowMs })
}
