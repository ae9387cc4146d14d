/** What goes wrong with one response. `after`: it goes wrong when the request has already taken effect. */
export type Fault =
  | {
      readonly kind: 'refuse'
      readonly status: number
      readonly code: string
      readonly type?: string
      readonly after?: boolean
    }
  | { readonly kind: 'no response'; readonly after: boolean }
  | { readonly kind: 'reset'; readonly after: boolean }
  | { readonly kind: 'slow'; readonly ms: number }
  /** Takes effect and responds with 200 and this instead of JSON. */
  | { readonly kind: 'text'; readonly text: string }
  /** Takes effect, begins to respond and falls silent. */
  | { readonly kind: 'stall' }
  /** Takes effect and never stops responding. */
  | { readonly kind: 'endless' }
  | { readonly kind: 'redirect'; readonly to: string }

export const FAULTS = {
  unauthorized: { kind: 'refuse', status: 401, code: 'request_failed', type: 'authentication_error' },
  forbidden: { kind: 'refuse', status: 403, code: 'ip_not_whitelisted', type: 'authentication_error' },
  idempotency: { kind: 'refuse', status: 422, code: 'idempotency_key_reused', type: 'idempotency_error' },
  tooMany: { kind: 'refuse', status: 429, code: 'request_limit_exceeded', type: 'rate_limit_error' },
  badGateway: { kind: 'refuse', status: 502, code: 'bank_processing_failure', type: 'api_error' },
  badGatewayAfter: {
    kind: 'refuse',
    status: 502,
    code: 'bank_processing_failure',
    type: 'api_error',
    after: true,
  },
  noResponseBefore: { kind: 'no response', after: false },
  noResponseAfter: { kind: 'no response', after: true },
  resetBefore: { kind: 'reset', after: false },
  resetAfter: { kind: 'reset', after: true },
  malformed: { kind: 'text', text: '{"order_id": "fund_01' },
  empty: { kind: 'text', text: '' },
  stalled: { kind: 'stall' },
  endless: { kind: 'endless' },
} as const satisfies Record<string, Fault>

/** Faults that are waiting, each for the next request that fits its line: `POST /pg/orders`. */
export interface FaultScript {
  /** Fits when the request's method and path begin so. */
  next(line: string, fault: Fault): void
  take(line: string): Fault | null
}

export function createFaultScript(): FaultScript {
  const waiting: { line: string; fault: Fault }[] = []
  return {
    next: (line, fault) => void waiting.push({ line, fault }),
    take(line) {
      const index = waiting.findIndex(entry => line.startsWith(entry.line))
      return index < 0 ? null : (waiting.splice(index, 1)[0]?.fault ?? null)
    },
  }
}
