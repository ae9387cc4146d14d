import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { contextOut } from './payment-context.ts'
import { EXAMPLE_POLICY_VERSION, policyVersionOut } from './policy.ts'
import { nullable, oneOf, response } from './schema.ts'

/** Statuses of authorizations (contract section 12); the last three are final. */
export const AUTHORIZATION_STATUSES = ['open', 'closing', 'closed', 'expired', 'voided'] as const

export type AuthorizationStatus = (typeof AUTHORIZATION_STATUSES)[number]

/** For how long an authorization is open, in seconds (contract section 12). */
export const AUTHORIZATION_SECONDS = { minimum: 60, maximum: 2_592_000, default: 86_400 } as const

/** How long captures still count after an authorization has begun to close (contract section 12). */
export const CLOSING_GRACE_SECONDS = 600

/** The most open authorizations of one agent, and the most captures of one authorization a day in IST. */
export const MAX_OPEN_AUTHORIZATIONS = 1_000
export const MAX_CAPTURES_A_DAY = 10_000

/** The smallest capture, unless it is the last one or the authorization is closing. INR. */
export const MIN_CAPTURE_INR = 1

const EXAMPLE_TOKEN = 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'

const terms = {
  agent_id: idSchema('agt', 'The payer.'),
  to_agent_id: idSchema('agt', 'The payee, who captures.'),
  amount: amountOut('The most that can be captured in all, INR.'),
  currency: Type.Literal('INR', { description: 'Always INR.' }),
  fee_reserved: amountOut('The fee on the whole amount, which is set aside too, INR.'),
  voucher_key: nullable(
    Type.String({
      description: 'The key that signs vouchers, base64 of its 32 bytes; null: captures need no voucher.',
      examples: [EXAMPLE_PUBLIC_KEY],
    }),
  ),
  reference: nullable(textOut('The payer’s reference.', 'session-9')),
  created_at: timestamp('When the money was set aside.'),
  policy_version: nullable(
    policyVersionOut(
      'The effective policy that decided it. null if the history of the agent’s policy begins later.',
    ),
  ),
}

/** The fields of an authorization; shared by the responses of its routes. */
export const authorizationProperties = {
  authorization_id: idSchema('ath'),
  ...terms,
  fee: amountOut('The fee, INR, charged once at the end on what was captured; 0 until then.'),
  captured: amountOut('What was captured so far, INR.'),
  remaining: amountOut('What can still be captured, INR; 0 after the end.'),
  status: oneOf(
    AUTHORIZATION_STATUSES,
    '`closing`: captures count until `closes_at`. `closed`: ended, something was captured. `expired`: ended, nothing was. `voided`: the payee gave all of it back.',
  ),
  expires_at: timestamp('When it begins to close by itself.'),
  closes_at: nullable(
    timestamp(
      'When it ends and the rest goes back; null while it is open, after the end, and while the payer is frozen or quarantined, because the time is paused then.',
    ),
  ),
  closed_at: nullable(timestamp('When it ended; null before that.')),
  token: textOut(
    'The terms as a signed JWS (EdDSA, `typ` authorization+jwt): a seller verifies it offline with the published keys.',
    EXAMPLE_TOKEN,
  ),
  transaction_id: idSchema('txn', 'The line of the payer’s statement.'),
}

export const openAuthorizationExample = {
  authorization_id: exampleId('ath'),
  agent_id: exampleId('agt'),
  to_agent_id: exampleId('agt', 2),
  amount: 400,
  currency: 'INR',
  fee_reserved: 2,
  fee: 0,
  captured: 0,
  remaining: 400,
  status: 'open',
  expires_at: '2026-11-21T10:15:30.000Z',
  closes_at: null,
  closed_at: null,
  voucher_key: null,
  token: EXAMPLE_TOKEN,
  reference: 'session-9',
  created_at: EXAMPLE_TIME,
  transaction_id: exampleId('txn'),
  policy_version: EXAMPLE_POLICY_VERSION,
}

/** Money set aside for one payee, who captures it in parts (contract section 12). Amounts in INR. */
export const Authorization = response(
  {
    ...authorizationProperties,
    approval_id: Type.Optional(
      idSchema(
        'apr',
        'The approval by which it was made; only where one authorization is read, by the side of its payer.',
      ),
    ),
    context: Type.Optional(contextOut),
  },
  {
    title: 'Authorization',
    description: 'Money that is set aside for one payee.',
    examples: [
      { ...openAuthorizationExample, voucher_key: EXAMPLE_PUBLIC_KEY, captured: 120, remaining: 280 },
    ],
  },
)
export type Authorization = Static<typeof Authorization>

/** The response to an authorization that was made: 201. */
export const AuthorizationCreated = response(authorizationProperties, {
  title: 'AuthorizationCreated',
  description: 'The new authorization.',
  examples: [openAuthorizationExample, { ...openAuthorizationExample, voucher_key: EXAMPLE_PUBLIC_KEY }],
})

/** The response to an authorization that waits for the owner's approval: 200, because nothing was created. */
export const AuthorizationWaiting = response(
  {
    ...terms,
    authorization_id: Type.Null({ description: 'Nothing is set aside yet.' }),
    status: Type.Literal('pending_approval', { description: 'The owner has to approve it.' }),
    approval_id: idSchema('apr', 'The approval that it waits for.'),
    fee: Type.Literal(0, { description: 'Nothing was captured.' }),
    captured: Type.Literal(0, { description: 'Nothing was captured.' }),
    remaining: Type.Literal(0, { description: 'Nothing can be captured yet.' }),
    created_at: timestamp('When the approval was requested.'),
    expires_at: Type.Null({ description: 'The time runs from the approval.' }),
    closes_at: Type.Null({ description: 'It is not open yet.' }),
    closed_at: Type.Null({ description: 'It has not ended.' }),
    token: Type.Null({ description: 'There is nothing to sign yet.' }),
    transaction_id: Type.Null({ description: 'There is no statement line yet.' }),
  },
  {
    title: 'AuthorizationWaiting',
    description: 'Nothing is set aside yet: the owner has to approve.',
    examples: [
      {
        ...openAuthorizationExample,
        ...{ authorization_id: null, status: 'pending_approval', remaining: 0, expires_at: null },
        ...{ token: null, transaction_id: null },
        approval_id: exampleId('apr'),
      },
    ],
  },
)
export type AuthorizationWaiting = Static<typeof AuthorizationWaiting>

/** The response to an authorization, distinguished by `status`. */
export type AuthorizationResult = Authorization | AuthorizationWaiting

/** The state after a capture. Amounts in INR. */
export const Capture = response(
  {
    authorization_id: idSchema('ath'),
    captured: amountOut('What was captured in all, INR.'),
    captured_now: amountOut('What this request captured, INR; 0: it was captured before.'),
    payment_id: nullable(idSchema('pay', 'The payment that this request made; null: nothing moved.')),
    receipt_id: nullable(idSchema('rcp', 'Its signed receipt; null: nothing moved.')),
    remaining: amountOut('What can still be captured, INR.'),
    status: oneOf(AUTHORIZATION_STATUSES, 'The status of the authorization.'),
  },
  {
    title: 'Capture',
    description: 'What was captured.',
    examples: [
      {
        authorization_id: exampleId('ath'),
        captured: 120,
        captured_now: 20,
        payment_id: exampleId('pay'),
        receipt_id: exampleId('rcp'),
        remaining: 280,
        status: 'open',
      },
    ],
  },
)
export type Capture = Static<typeof Capture>
