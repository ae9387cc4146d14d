import { type Static, Type } from 'typebox'
import { amountIn, amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The minimum funding in INR (interface section 8). */
export const MIN_FUNDING_INR = 1

/** The requested method of a funding; with `link` the payer chooses on the page (interface section 4, Wallet). */
export const FUNDING_METHODS = ['upi', 'card', 'netbanking', 'link'] as const

export type FundingMethod = (typeof FUNDING_METHODS)[number]

/** The method by which a funding was paid, which sets its fee (contract section 4). */
export const PAID_METHODS = ['upi', 'card', 'netbanking'] as const

export type PaidMethod = (typeof PAID_METHODS)[number]

/** Funding statuses (interface section 3). */
export const FUNDING_STATUSES = ['pending', 'completed', 'failed'] as const

export type FundingStatus = (typeof FUNDING_STATUSES)[number]

const checkout = `http://localhost:8080/checkout/${exampleId('ps')}`
const expiry = '2026-11-20T10:45:30.000Z'

/** A wallet's figures in INR (interface section 2; contract section 4, Totals). */
export const Balance = response(
  {
    available: amountOut('The balance that can be spent now, INR. Negative only after a chargeback.'),
    total_funded: amountOut('The total credited, INR: fundings after their fee, and incoming payments.'),
    total_spent: amountOut('The total of outgoing payments and their fees, INR.'),
  },
  {
    title: 'Balance',
    description: 'The figures of a wallet in INR.',
    examples: [{ available: 573, total_funded: 975, total_spent: 402 }],
  },
)
export type Balance = Static<typeof Balance>

const sessionProperties = {
  funding_id: idSchema('fund'),
  payment_session_id: idSchema('ps', 'The session that the owner completes on the checkout page.'),
  order_id: idSchema('fund', 'The order at the gateway; equal to `funding_id`.'),
  status: oneOf(FUNDING_STATUSES, '`pending` until the gateway confirms the payment.'),
  amount: amountOut('What the owner pays, INR, before the gateway’s fee.'),
}

const sessionExample = {
  funding_id: exampleId('fund'),
  payment_session_id: exampleId('ps'),
  order_id: exampleId('fund'),
  status: 'pending',
  amount: 1000,
}

const checkoutUrl = textOut('The full address of the checkout page for this session.', checkout)

/** A new funding: open `checkout_url` for the owner (interface section 4; contract section 4, Fund). */
export const FundingSession = response(
  {
    ...sessionProperties,
    method: oneOf(FUNDING_METHODS, 'The requested method.'),
    checkout_url: checkoutUrl,
    expires_at: timestamp('When the session ends, 30 minutes after it began.'),
  },
  {
    title: 'FundingSession',
    description: 'A payment session for the owner to complete.',
    examples: [{ ...sessionExample, method: 'link', checkout_url: checkout, expires_at: expiry }],
  },
)
export type FundingSession = Static<typeof FundingSession>

/** A funding in its present state. Amounts in INR; `net_amount` is the credit to the wallet (contract section 4). */
export const Funding = response(
  {
    ...sessionProperties,
    method: oneOf(FUNDING_METHODS, 'The requested method.'),
    paid_method: nullable(
      oneOf(PAID_METHODS, 'The method that was used, which sets the fee; null until paid.'),
    ),
    fee: nullable(amountOut('The gateway’s fee, INR: 2.5 %, half a paisa rounded up; null until paid.')),
    net_amount: nullable(amountOut('What the wallet was credited, INR: amount minus fee; null until paid.')),
    checkout_url: checkoutUrl,
    created_at: timestamp('When it was requested.'),
    expires_at: timestamp('When the session ends.'),
    completed_at: nullable(timestamp('When the wallet was credited; null if it was not.')),
  },
  {
    title: 'Funding',
    description: 'A funding in its present state.',
    examples: [
      {
        ...sessionExample,
        status: 'completed',
        method: 'link',
        paid_method: 'upi',
        fee: 25,
        net_amount: 975,
        checkout_url: checkout,
        created_at: EXAMPLE_TIME,
        expires_at: expiry,
        completed_at: '2026-11-20T10:17:02.000Z',
      },
    ],
  },
)
export type Funding = Static<typeof Funding>

const params = request({ agent_id: idParam('agt') })
const who = ['platform', 'agent', 'owner'] as const

export const getBalance = route({
  operationId: 'getBalance',
  method: 'GET',
  path: '/v1/agents/{agent_id}/balance',
  tag: 'Wallet',
  summary: 'Get the balance',
  description: 'The wallet’s figures in INR, exact at the time of the response.',
  who,
  params,
  status: 200,
  response: Balance,
  errors: ['not_found', 'authorization_error'],
})

export const createFunding = route({
  operationId: 'createFunding',
  method: 'POST',
  path: '/v1/agents/{agent_id}/fund',
  tag: 'Wallet',
  summary: 'Fund the wallet',
  description:
    'Opens a payment session. Send the owner to `checkout_url`; when the payment is confirmed the wallet is credited with the amount minus the gateway’s 2.5 %, and `agent.funded` is sent. An unpaid session fails after 30 minutes.',
  who,
  params,
  body: request(
    {
      amount: amountIn('What the owner pays, INR, at least 1.', { minimum: MIN_FUNDING_INR }),
      method: Type.Optional(
        oneOf(FUNDING_METHODS, 'The payment method; with `link` the owner chooses.', { default: 'link' }),
      ),
    },
    { title: 'CreateFundingRequest', examples: [{ amount: 1000 }, { amount: 250.5, method: 'upi' }] },
  ),
  status: 201,
  response: FundingSession,
  errors: ['not_found', 'authorization_error', 'policy_denied', 'gateway_error'],
})

export const getFunding = route({
  operationId: 'getFunding',
  method: 'GET',
  path: '/v1/agents/{agent_id}/fund/{funding_id}',
  tag: 'Wallet',
  summary: 'Get a funding',
  description:
    'The status of a funding: `pending`, `completed` (credited) or `failed` (cancelled or expired).',
  who,
  params: request({ agent_id: idParam('agt'), funding_id: idParam('fund') }),
  status: 200,
  response: Funding,
  errors: ['not_found', 'authorization_error'],
})

export const createUpiCollect = route({
  operationId: 'createUpiCollect',
  method: 'POST',
  path: '/api/web/fund/{agent_id}/upi',
  tag: 'Wallet',
  summary: 'Fund the wallet by UPI',
  description:
    'Without `upi_id`: the content of a QR code, for a person who has a UPI app at hand. With it: sends a collect request to the owner’s UPI app. If the gateway cannot send collect requests, `collect` is false: show `qr` as a QR code, or open `upi_intent` on the owner’s phone. Unpaid requests of an hour are limited: five from one owner’s agents to one UPI id and 20 to all UPI ids, beyond which the response is `rate_limit_exceeded`, and 20 from all owners to one UPI id, beyond which `collect` is false. The wallet is credited when the gateway confirms the payment.',
  who,
  params,
  body: request(
    {
      amount: amountIn('What the owner pays, INR, at least 1.', { minimum: MIN_FUNDING_INR }),
      upi_id: Type.Optional(
        Type.String({
          maxLength: 320,
          pattern: '^[A-Za-z0-9._-]{2,256}@[A-Za-z][A-Za-z0-9]{1,63}$',
          description: 'The owner’s UPI id. Without it no collect request is sent.',
          examples: ['asha@examplebank'],
        }),
      ),
    },
    {
      title: 'CreateUpiCollectRequest',
      examples: [{ amount: 1000, upi_id: 'asha@examplebank' }, { amount: 1000 }],
    },
  ),
  status: 201,
  response: response(
    {
      ...sessionProperties,
      collect: Type.Boolean({ description: 'Whether a collect request was sent to the UPI app.' }),
      upi_id: nullable(textOut('The UPI id with its middle hidden; null without one.', 'as**@examplebank')),
      upi_intent: textOut(
        'The address that opens a UPI app on the phone.',
        'upi://pay?pa=wallet@examplebank',
      ),
      qr: textOut('The content of a QR code for UPI apps.', 'upi://pay?pa=wallet@examplebank'),
      checkout_url: checkoutUrl,
      expires_at: timestamp('When the session ends.'),
    },
    {
      title: 'UpiCollect',
      description: 'The funding and the ways to pay it by UPI.',
      examples: [
        {
          ...sessionExample,
          collect: false,
          upi_id: 'as**@examplebank',
          upi_intent:
            'upi://pay?pa=wallet@examplebank&pn=Batua&tr=01kb7q3f8meg5tz4x9wc2n6a01&am=1000.00&cu=INR',
          qr: 'upi://pay?pa=wallet@examplebank&pn=Batua&tr=01kb7q3f8meg5tz4x9wc2n6a01&am=1000.00&cu=INR',
          checkout_url: checkout,
          expires_at: expiry,
        },
      ],
    },
  ),
  errors: ['not_found', 'authorization_error', 'policy_denied', 'gateway_error'],
})
