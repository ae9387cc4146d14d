import { ERROR_CODES, type OperationId, routes } from '@batua/contract'

/** Texts in requests and responses that are personal or secret: the tests plant and search them. */
export const CONFIDENTIAL_FIELDS: readonly string[] = [
  'agent_key',
  'auth',
  'bank_account',
  'code',
  'email',
  'endpoint',
  'p256dh',
  'pan',
  'phone',
  'platform_secret',
  'totp',
  'totp_secret',
  'upi_id',
  'webhook_secret',
]

/** Personal texts under other names: headers and what browsers send. */
export const CLEAR_FIELDS: Readonly<Record<string, string>> = {
  ...because('an id, or a page of ids, which opens nothing without a credential', [
    'agent_id',
    'agent_ids',
    'alert_id',
    'allowance_id',
    'app_id',
    'approval_id',
    'attestor_agent_id',
    'audit_id',
    'authorization_id',
    'cert_id',
    'cursor',
    'delivery_id',
    'escrow_id',
    'funding_id',
    'listing_id',
    'session_id',
    'subscription_id',
    'org_id',
    'owner_id',
    'passkey_id',
    'payment_id',
    'platform_id',
    'receipt_id',
    'to_agent_id',
    'txn_id',
  ]),
  ...because('a name that others are shown', ['handle', 'name', 'to', 'expected_payee', 'expected_payer']),
  ...because('an agent’s payees: ids and handles', ['allowed_payees', 'blocked_payee_agents']),
  ...because('a branch of a bank, printed on every cheque', ['bank_ifsc']),
  ...because('words that the two sides of a payment write to each other, part of its receipt', [
    'note',
    'reason',
    'reference',
  ]),
  ...because('words of the payer for its owner, which the payee never sees', ['purpose', 'url', 'client']),
  ...because('chosen by a program to name a request', ['consume_id', 'idempotency_key', 'nonce']),
  ...because('what a passkey made: it opens nothing without the device', [
    'id',
    'rawId',
    'challenge_id',
    'clientDataJSON',
    'attestationObject',
    'authenticatorData',
    'publicKey',
    'signature',
    'userHandle',
  ]),
  ...because('names a request of a client, which only the browser of its owner can answer', ['request_id']),
  ...because('what an app may do', ['scopes']),
  ...because('a method and a path', ['action']),
  ...because('public by its nature', [
    'gateway',
    'public_key',
    'voucher_key',
    'voucher',
    'tier',
    'control',
    'webhook_url',
    'origin',
    'origins',
  ]),
  ...because('a text that is looked for in one statement, and stored nowhere', ['search', 'query']),
  ...because('the pattern of a route, or an HTTP method', ['route', 'method']),
  ...because('a date or a moment', ['at', 'day', 'from_date', 'to_date', 'until']),
  ...because('opens a checkout page, on which anybody may pay and nobody may take', ['payment_session_id']),
}

function because(reason: string, names: readonly string[]): Record<string, string> {
  return Object.fromEntries(names.map(name => [name, reason]))
}

interface Schema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly properties?: Readonly<Record<string, Schema>>
  readonly items?: Schema
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly allOf?: readonly Schema[]
  readonly additionalProperties?: Schema | boolean
}

/** Every name of a free text in a request, with its routes. */
export function textFields(): Map<string, OperationId[]> {
  const found = new Map<string, OperationId[]>()
  for (const [operation, { body, query, params }] of Object.entries(routes) as [
    OperationId,
    RouteSchemas,
  ][]) {
    for (const schema of [body, query, params]) {
      for (const name of namesIn(schema, '')) found.set(name, [...(found.get(name) ?? []), operation])
    }
  }
  return found
}

interface RouteSchemas {
  readonly body?: Schema
  readonly query?: Schema
  readonly params?: Schema
}

function namesIn(schema: Schema | boolean | undefined, name: string): string[] {
  if (schema === undefined || typeof schema === 'boolean') return []
  const { properties = {}, items, anyOf = [], oneOf = [], allOf = [], additionalProperties } = schema
  const isText =
    [schema.type].flat().includes('string') && schema.enum === undefined && schema.const === undefined
  return [
    ...(isText ? [name] : []),
    ...Object.entries(properties).flatMap(([property, of]) => namesIn(of, property)),
    ...[items, additionalProperties, ...anyOf, ...oneOf, ...allOf].flatMap(of => namesIn(of, name)),
  ]
}

/** The texts under confidential names anywhere in a request or response. */
export function confidentialIn(value: unknown): { what: string; value: string }[] {
  if (Array.isArray(value)) return value.flatMap(confidentialIn)
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, part]: [string, unknown]) =>
    typeof part === 'string' && CONFIDENTIAL_FIELDS.includes(name) && !isErrorCode(part)
      ? [{ what: name, value: part }]
      : confidentialIn(part),
  )
}

/** An error has its public code under the same name as a login has its secret one, which is all digits. */
function isErrorCode(value: string): boolean {
  return ERROR_CODES.some(code => code === value)
}
