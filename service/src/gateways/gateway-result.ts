/**
 * The result of a call to an outside system. Only `value` and `rejected` are its own response. `retryable` certainly had
 * no effect and may be sent again later. `unknown` may have taken effect, so query it before anything is sent again.
 */
export type GatewayResult<T> =
  | { readonly kind: 'value'; readonly value: T }
  | Rejected
  | { readonly kind: 'retryable'; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string }

export interface Rejected {
  readonly kind: 'rejected'
  /** The reason code of the outside system; for logs and decisions, never shown to callers. */
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
 * A provider's reason code in a form that may be logged and stored; null when it is no code. Cashfree's codes may quote
 * the request, so numbers that could be a phone, a card or an account are masked.
 */
export function reasonWord(text: string | null): string | null {
  return text !== null && /^[A-Za-z][\w.-]{0,79}$/.test(text) ? text.replaceAll(/\d{4,}/g, '#') : null
}
