import { ERROR_STATUS, type ErrorCode, ErrorEnvelope, type Route } from '@batua/contract'
import type { ServedRoute } from '../serve.ts'
import type { Json, SchemaCollector } from './openapi-schemas.ts'

/** The example message of each code. */
const MEANING: Record<ErrorCode, string> = {
  validation_error: 'amount must be an amount in INR with at most two decimals',
  authentication_error: 'This route needs the header x-agent-key',
  insufficient_balance: 'The balance is 100.00 INR; 402.00 INR are needed: 400.00 and a fee of 2.00',
  authorization_error: 'This credential may not act for this agent',
  spend_limit_exceeded: 'spend_limit_daily of the agent allows 200.00 INR more today',
  escrow_required: 'Payments of more than 5000.00 INR must use escrow',
  policy_denied: 'Agent is quarantined',
  kyc_required: 'The owner has no verified bank account; submit one first',
  passkey_required: 'You have a passkey, so this needs it: ask for a challenge, sign it and send it',
  not_found: 'There is no such agent',
  method_not_allowed: 'This address takes GET, not POST',
  idempotency_error: 'This idempotency key was used already',
  conflict: 'This handle is taken',
  payload_too_large: 'The body is larger than 64 KiB; send less',
  unsupported_media_type: 'Send the body as JSON with the header content-type: application/json',
  rate_limit_exceeded: 'More than 100 requests in a minute; try again in 12 s',
  internal_error: 'Something failed here; quote the request id to us',
  gateway_error: 'The payment gateway failed; try again',
  service_unavailable: 'The service is away for a moment; repeat the request with the same idempotency key',
}

/** authorization_error where a browser may send what its human did not want. */
const CROSS_SITE =
  'This must come from a page of this site: send the header Origin: https://api.example.com or Sec-Fetch-Site: same-origin'

const EXAMPLE_REQUEST_ID = 'req_01kb7q3f8meg5tz4x9wc2n6a01'

/** Every error response of a route by its status: its own, and those that every such route may return. */
export function errorResponses({ route, counted }: ServedRoute, schemas: SchemaCollector): Json {
  const codesOf = new Map<number, Set<ErrorCode>>()
  const add = (code: ErrorCode, status: number = ERROR_STATUS[code]): void => {
    codesOf.set(status, (codesOf.get(status) ?? new Set()).add(code))
  }
  for (const code of ['validation_error', 'authentication_error', ...route.errors] as const) add(code)
  if (route.method !== 'GET')
    for (const code of ['payload_too_large', 'unsupported_media_type'] as const) add(code)
  if (changesBySession(route)) add('authorization_error')
  if (route.stepUp === true) add('passkey_required')
  if (route.method === 'POST') for (const status of [409, 422]) add('idempotency_error', status)
  if (counted) add('rate_limit_exceeded')
  for (const code of ['internal_error', 'service_unavailable'] as const) add(code)
  const statuses = [...codesOf].toSorted(([left], [right]) => left - right)
  return Object.fromEntries(
    statuses.map(([status, codes]) => [String(status), errorResponse([...codes], route, schemas)]),
  )
}

/** Routes that require proof of the same origin for a change by a session cookie (same-origin.ts). */
function changesBySession({ method, who }: Route): boolean {
  return method !== 'GET' && (who.includes('owner') || who.includes('admin'))
}

function errorResponse(codes: readonly ErrorCode[], route: Route, schemas: SchemaCollector): Json {
  const examples = Object.fromEntries(codes.flatMap(code => Object.entries(examplesOf(code, route))))
  return {
    description: codes.map(code => `\`${code}\``).join(', '),
    headers: headersOf(codes),
    content: { 'application/json': { schema: schemas.reference(ErrorEnvelope), examples } },
  }
}

function examplesOf(code: ErrorCode, route: Route): Json {
  if (code !== 'authorization_error') return { [code]: exampleOf(code) }
  const crossSite = exampleOf(code, CROSS_SITE)
  // A public route takes no credential: it refuses a login that another site sends.
  const isOfCredential = route.who.length > 0 && route.errors.includes(code)
  if (!isOfCredential) return { [code]: crossSite }
  return { [code]: exampleOf(code), ...(changesBySession(route) ? { cross_site: crossSite } : {}) }
}

function exampleOf(code: ErrorCode, message = MEANING[code]): Json {
  const field = code === 'validation_error' ? { field: 'amount' } : {}
  return { value: { error: { code, message, request_id: EXAMPLE_REQUEST_ID, ...field } } }
}

function headersOf(codes: readonly ErrorCode[]): Json {
  const retry = codes.some(code => /^(rate_limit_exceeded|service_unavailable|idempotency_error)$/.test(code))
  return {
    'X-Request-Id': header('RequestId'),
    ...(codes.includes('rate_limit_exceeded') ? rateLimitHeaders() : {}),
    ...(retry ? { 'Retry-After': header('RetryAfter') } : {}),
  }
}

export function rateLimitHeaders(): Json {
  return {
    'RateLimit-Limit': header('RateLimitLimit'),
    'RateLimit-Remaining': header('RateLimitRemaining'),
    'RateLimit-Reset': header('RateLimitReset'),
  }
}

export function header(name: string): Json {
  return { $ref: `#/components/headers/${name}` }
}
