const WRITTEN_HANDLE = /^@?[A-Za-z][A-Za-z0-9_-]{2,31}$/
const AGENT_ID = /^agt_[0-7][0-9a-hjkmnp-tv-z]{25}$/

export function isAgentId(value: unknown): value is string {
  return typeof value === 'string' && AGENT_ID.test(value)
}

/**
 * A payee's one spelling, as the service reads it: handles come in any case, with or without `@`; ids, and what is
 * neither, stay as they are.
 */
export function payeeName(payee: string): string {
  if (!WRITTEN_HANDLE.test(payee)) return payee
  const handle = payee.replace(/^@/, '').toLowerCase()
  return isAgentId(handle) ? payee : handle
}
