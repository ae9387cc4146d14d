const WRITTEN_HANDLE = /^@?[A-Za-z][A-Za-z0-9_-]{2,31}$/
const AGENT_ID = /^agt_[0-7][0-9a-hjkmnp-tv-z]{25}$/

export function isAgentId(value: unknown): value is string {
  return typeof value === 'string' && AGENT_ID.test(value)
}

/**
 * The normalised form of a payee, as in the service: handles in lower case without `@`; ids and other texts unchanged.
 */
export function payeeName(payee: string): string {
  if (!WRITTEN_HANDLE.test(payee)) return payee
  const handle = payee.replace(/^@/, '').toLowerCase()
  return isAgentId(handle) ? payee : handle
}
