import { Type } from 'typebox'
import {
  AUTHORIZATION_SECONDS,
  AUTHORIZATION_STATUSES,
  Authorization,
  AuthorizationCreated,
  AuthorizationWaiting,
  authorizationProperties,
  Capture,
  openAuthorizationExample,
} from './authorization-records.ts'
import { agentReference, amountIn, EXAMPLE_PUBLIC_KEY, lineText } from './fields.ts'
import { idParam } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { contextIn } from './payment-context.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

const params = request({ authorization_id: idParam('ath') })

export const authorize = route({
  operationId: 'authorize',
  method: 'POST',
  path: '/v1/agents/{agent_id}/authorizations',
  tag: 'Authorizations',
  summary: 'Authorize captures',
  description:
    'Sets an amount and the fee on it aside for one payee, who captures it in one part or many until the end; what is left then goes back. It is decided once, as a payment of the whole amount: payee lists, limits, escrow and approval thresholds apply and count now, and never at a capture. What goes back no longer counts. Above the approval threshold the response is 200 `pending_approval` with `authorization_id` null, nothing is set aside yet, and `expires_in` counts from the approval. An agent has at most 1,000 open authorizations; one more is `conflict`. Always send an `idempotency_key`; it shares one space with the keys of payments, and a used key is `idempotency_error` with `details.authorization_id`.',
  who: ['agent'],
  params: request({ agent_id: idParam('agt', 'The paying agent.') }),
  body: request(
    {
      to: agentReference('The payee: an agent id, or a handle in any case with or without `@`.'),
      amount: amountIn('The most that the payee can capture in all, INR.'),
      expires_in: Type.Optional(
        Type.Integer({
          minimum: AUTHORIZATION_SECONDS.minimum,
          maximum: AUTHORIZATION_SECONDS.maximum,
          description: 'For how long it is open, in seconds: 60 to 2592000.',
          default: AUTHORIZATION_SECONDS.default,
          examples: [3600],
        }),
      ),
      reference: Type.Optional(lineText('Your own reference.', 'session-9')),
      idempotency_key: Type.Optional(
        lineText('One key for each authorization. Send the same key when you retry.', 'order-7f3a'),
      ),
      voucher_key: Type.Optional(
        Type.String({
          pattern: '^[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=$',
          description:
            'An Ed25519 public key that you made for this authorization, base64 of its 32 bytes. Then only vouchers signed by it are captured.',
          examples: [EXAMPLE_PUBLIC_KEY],
        }),
      ),
      ...contextIn,
    },
    {
      title: 'AuthorizeRequest',
      examples: [
        { to: 'translator', amount: 400 },
        { to: 'translator', amount: 400, expires_in: 3600, idempotency_key: 'order-7f3a' },
      ],
    },
  ),
  status: 201,
  response: AuthorizationCreated,
  waiting: AuthorizationWaiting,
  errors: [
    'not_found',
    'validation_error',
    'idempotency_error',
    'authorization_error',
    'conflict',
    'policy_denied',
    'spend_limit_exceeded',
    'escrow_required',
    'insufficient_balance',
  ],
})

export const captureAuthorization = route({
  operationId: 'captureAuthorization',
  method: 'POST',
  path: '/v1/authorizations/{authorization_id}/capture',
  tag: 'Authorizations',
  summary: 'Capture an authorization',
  description:
    'With the payee’s key: moves money out of the authorization to the payee. Send one of `amount`, which adds to what was captured, `total`, the amount captured in all after this request, and `voucher`, whose amount is such a total; `total` beside it captures less than it was signed for. A total that is captured already changes nothing and is no error, also after the end, so a repeat is safe. More than was authorized, and a higher total after the end, is `conflict`. With a `voucher_key`, a capture without a voucher is `conflict`. Each capture is a payment without a fee, of at least 1 INR unless it is `final` or the authorization is closing, and at most 10,000 a day. While the payer is frozen or quarantined, or you are not active, it is `policy_denied`.',
  who: ['agent'],
  params,
  body: request(
    {
      amount: Type.Optional(amountIn('What is captured in addition, INR.')),
      total: Type.Optional(amountIn('What is captured in all after this request, INR.')),
      voucher: Type.Optional(
        Type.String({
          maxLength: 2048,
          pattern: '^[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+\\.[A-Za-z0-9_-]+$',
          description:
            'A compact JWS (EdDSA by the `voucher_key`), header `{"alg":"EdDSA","typ":"voucher+jwt"}`, payload `{"jti":authorization_id,"amount":"12.50","nonce":"…"}`; the amount is cumulative.',
          examples: ['eyJhbGciOiJFZERTQSIsInR5cCI6InZvdWNoZXIrand0In0.e30.AAAA'],
        }),
      ),
      final: Type.Optional(
        Type.Boolean({ description: 'Whether this is the last capture: the rest goes back at once.' }),
      ),
    },
    {
      title: 'CaptureRequest',
      examples: [{ total: 120 }, { amount: 20, final: true }],
    },
  ),
  status: 200,
  response: Capture,
  errors: ['not_found', 'authorization_error', 'validation_error', 'policy_denied', 'conflict'],
})

const ended = {
  ...openAuthorizationExample,
  ...{ status: 'closed', captured: 120, fee: 1, remaining: 0, closed_at: '2026-11-20T11:02:00.000Z' },
}

export const voidAuthorization = route({
  operationId: 'voidAuthorization',
  method: 'POST',
  path: '/v1/authorizations/{authorization_id}/void',
  tag: 'Authorizations',
  summary: 'Void an authorization',
  description:
    'With the payee’s key: gives everything back at once, the reserved fee included. After a capture it is `conflict`: close the authorization, and refund what was captured. One that has ended is `conflict`, with its status in `details.status`.',
  who: ['agent'],
  params,
  status: 200,
  response: response(authorizationProperties, {
    title: 'AuthorizationVoided',
    description: 'The ended authorization.',
    examples: [{ ...ended, status: 'voided', captured: 0, fee: 0 }],
  }),
  errors: ['not_found', 'authorization_error', 'conflict'],
})

export const closeAuthorization = route({
  operationId: 'closeAuthorization',
  method: 'POST',
  path: '/v1/authorizations/{authorization_id}/close',
  tag: 'Authorizations',
  summary: 'Close an authorization',
  description:
    'The payee closes at once: the fee on what was captured is charged, and the rest goes back. The payer, its platform and its owner begin the closing: captures still count for ten minutes, until `closes_at`. To begin it again changes nothing. One that has ended is `conflict`, with its status in `details.status`.',
  who: ['agent', 'platform', 'owner'],
  params,
  status: 200,
  response: response(authorizationProperties, {
    title: 'AuthorizationClosed',
    description: 'The authorization, closing or closed.',
    examples: [ended],
  }),
  errors: ['not_found', 'authorization_error', 'conflict'],
})

export const getAuthorization = route({
  operationId: 'getAuthorization',
  method: 'GET',
  path: '/v1/authorizations/{authorization_id}',
  tag: 'Authorizations',
  summary: 'Get an authorization',
  description: 'For both agents, their platforms and owners, and administrators; others get `not_found`.',
  who: ['agent', 'platform', 'owner', 'admin'],
  params,
  status: 200,
  response: Authorization,
  errors: ['not_found'],
})

export const listAuthorizations = route({
  operationId: 'listAuthorizations',
  method: 'GET',
  path: '/v1/agents/{agent_id}/authorizations',
  tag: 'Authorizations',
  summary: 'List authorizations',
  description: 'The authorizations of an agent’s money, newest first.',
  who: ['agent', 'platform', 'owner'],
  params: request({ agent_id: idParam('agt', 'The paying agent.') }),
  query: request({
    status: Type.Optional(oneOf(AUTHORIZATION_STATUSES, 'Only authorizations with this status.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('authorizations', Authorization, {
    title: 'AuthorizationList',
    description: 'A page of authorizations.',
  }),
  errors: ['authorization_error'],
})
