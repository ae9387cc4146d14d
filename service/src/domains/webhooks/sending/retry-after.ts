/** The three forms of a date in HTTP (RFC 9110, section 5.6.7). */
const HTTP_DATES: readonly RegExp[] = [
  /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{5,8}, \d{2}-[A-Z][a-z]{2}-\d{2} \d{2}:\d{2}:\d{2} GMT$/,
  /^[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d{2}:\d{2}:\d{2} \d{4}$/,
]

/** The delay that a `Retry-After` header asks for, in ms; null if it is invalid or in the past. */
export function retryAfterMs(text: string | null, now: Date): number | null {
  const value = text?.trim() ?? ''
  const ms = /^\d+$/.test(value) ? Number(value) * 1000 : untilDateMs(value, now)
  return ms > 0 ? ms : null
}

function untilDateMs(value: string, now: Date): number {
  if (!HTTP_DATES.some(form => form.test(value))) return Number.NaN
  return Date.parse(value.endsWith('GMT') ? value : `${value} GMT`) - now.getTime()
}
