import { createHmac, timingSafeEqual } from 'node:crypto'

/** The signature of Cashfree's webhooks: base64(HMAC-SHA256(timestamp + raw body)), without a separator. */
export function signTimestamped(rawBody: Buffer | string, timestamp: string, secret: string): string {
  return createHmac('sha256', secret).update(timestamp).update(rawBody).digest('base64')
}

/** Whether one of the secrets made this signature; several count while a secret is being rotated. */
export function isSignedTimestamped(
  rawBody: Buffer,
  timestamp: unknown,
  signature: unknown,
  secrets: readonly string[],
): boolean {
  if (typeof timestamp !== 'string' || typeof signature !== 'string') return false
  const given = Buffer.from(signature)
  // All secrets are tried, so that the time taken does not depend on which one matches.
  return secrets
    .map(secret => sameBytes(given, Buffer.from(signTimestamped(rawBody, timestamp, secret))))
    .includes(true)
}

function sameBytes(left: Buffer, right: Buffer): boolean {
  return left.length === right.length && timingSafeEqual(left, right)
}
