/**
 * What a call to an outside system came to. Only `value` and `rejected` are its word. `retryable` did certainly
 * nothing and may be sent again later; `unknown` may have taken effect, so ask, and never send it again blindly.
 */
export type GatewayResult<T> =
  | { readonly kind: 'value'; readonly value: T }
  | Rejected
  | { readonly kind: 'retryable'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string }

export interface Rejected {
  readonly kind: 'rejected'
  /** The outside system's own word for the reason; for logs and decisions, never shown to callers. */
  readonly code: string
  readonly message: string
}

export function value<T>(given: T): GatewayResult<T> {
  return { kind: 'value', value: given }
}

export function rejected(code: string, message: string): Rejected {
  return { kind: 'rejected', code, message }
}

/**
 * A provider's own word for a reason as it may be logged and kept; null when it is none. Cashfree's words quote what was
 * sent to it: figures that could be of a phone, a card or an account are left out.
 */
export function reasonWord(text: string | null): string | null {
  return text !== null && /^[A-Za-z][\w.-]{0,79}$/.test(text) ? text.replaceAll(/\d{4,}/g, '#') : null
}
