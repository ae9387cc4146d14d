import type { Paise } from '../../../kernel/money.ts'

/** What goes wrong between the service and the gateway for a request with a magic amount. */
export type ApiFault =
  | 'unauthorized'
  | 'already_exists'
  | 'idempotency'
  | 'too_many_requests'
  | 'bad_gateway'
  | 'response_lost'
  | 'request_lost'
  | 'malformed_response'
  | 'webhook_first'

/** In rupees; the last three digits are those of the HTTP status where there is one. */
const FAULTS: ReadonlyMap<bigint, ApiFault> = new Map([
  [9401n, 'unauthorized'],
  [9409n, 'already_exists'],
  [9422n, 'idempotency'],
  [9429n, 'too_many_requests'],
  [9502n, 'bad_gateway'],
  [9408n, 'response_lost'],
  [9407n, 'request_lost'],
  [9200n, 'malformed_response'],
  [9100n, 'webhook_first'],
])

export function faultOf(amountPaise: Paise): ApiFault | null {
  return amountPaise % 100n === 0n ? (FAULTS.get(amountPaise / 100n) ?? null) : null
}

/** Whether the request takes effect although the response does not say so. */
export function tookEffect(fault: ApiFault): boolean {
  switch (fault) {
    // The existing object was created by an earlier request of ours.
    case 'already_exists':
    case 'response_lost':
    case 'malformed_response':
    case 'webhook_first':
      return true
    case 'unauthorized':
    case 'idempotency':
    case 'too_many_requests':
    case 'bad_gateway':
    case 'request_lost':
      return false
  }
}

/** The result that a real gateway's adapter returns for each fault; null: the response is normal. */
export function responseOf(
  fault: ApiFault,
): { readonly kind: 'retryable' | 'unknown'; readonly message: string } | null {
  switch (fault) {
    case 'unauthorized':
      return { kind: 'retryable', message: '401: check the credentials' }
    case 'too_many_requests':
      return { kind: 'retryable', message: '429: too many requests' }
    case 'already_exists':
      return { kind: 'unknown', message: '409: there is one of this id already' }
    case 'idempotency':
      return { kind: 'unknown', message: '422: the idempotency key was used before' }
    case 'bad_gateway':
      return { kind: 'unknown', message: '502: bad gateway' }
    case 'response_lost':
    case 'request_lost':
      return { kind: 'unknown', message: 'no response within 25 s' }
    case 'malformed_response':
      return { kind: 'unknown', message: 'the response cannot be parsed' }
    case 'webhook_first':
      return null
  }
}
