import { type Static, Type } from 'typebox'
import { textOut } from './fields.ts'
import { exampleId } from './ids.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

/** The version of x402 that the service speaks. */
export const X402_VERSION = 2 as const

/** The networks of x402 in which the service moves money: the first in live mode, the second in the sandbox. */
export const X402_NETWORKS = ['batua:inr', 'batua:inr-sandbox'] as const
export type X402Network = (typeof X402_NETWORKS)[number]

/** How a price can be paid: in full before the request, or by money set aside, in full or as much as the seller says. */
export const X402_KINDS = [
  { scheme: 'exact', paymentFlow: 'upfront' },
  { scheme: 'exact', paymentFlow: 'authorization' },
  { scheme: 'upto', paymentFlow: 'authorization' },
] as const

const network = oneOf(X402_NETWORKS, 'The network: rupees, or those of the sandbox.')
const payer = Type.Optional(textOut('The agent that paid.', exampleId('agt')))
const exampleNonce = '0b54f0c2-7a0e-8a52-9a51-4a6c3a1f0d7e'

const exampleRequirements = {
  ...{ scheme: 'exact', network: 'batua:inr', amount: '250', asset: 'INR', payTo: 'weather-pune' },
  maxTimeoutSeconds: 600,
  extra: { nonce: exampleNonce, service: 'https://batua.example', paymentFlow: 'upfront' },
}

const paymentRequest = request(
  {
    x402Version: Type.Integer({
      minimum: 1,
      maximum: 100,
      description: 'The version of x402: 2.',
      examples: [X402_VERSION],
    }),
    paymentPayload: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      description:
        'The payment as the buyer sent it. Its `payload` has the fields of a proof of payment (`version`, `transactionId`, `fromAgent`, `nonce`), with the flow `authorization` the `token` of an authorization as `authorization` in place of `transactionId`; and `attempt`, the seller’s id for this request. `attempt` and `phase` are the seller’s: refuse a payment in which a buyer has written either.',
    }),
    paymentRequirements: Type.Record(Type.String({ maxLength: 100 }), Type.Unknown(), {
      description: 'The price as the seller asks for it. `amount` is in paise.',
    }),
  },
  {
    title: 'X402PaymentRequest',
    description: 'A payment and what it is for, as x402 defines them.',
    examples: [
      {
        x402Version: X402_VERSION,
        paymentPayload: {
          x402Version: X402_VERSION,
          accepted: exampleRequirements,
          payload: {
            ...{ version: 1, transactionId: exampleId('pay'), fromAgent: exampleId('agt') },
            ...{ nonce: exampleNonce, attempt: 'request-91c2' },
          },
        },
        paymentRequirements: exampleRequirements,
      },
    ],
  },
)
export type X402PaymentRequest = Static<typeof paymentRequest>

export const getX402Supported = route({
  operationId: 'getX402Supported',
  method: 'GET',
  path: '/v1/x402/supported',
  tag: 'x402',
  summary: 'List what can be paid by x402',
  description: 'The kinds of payment that this service verifies and settles as a facilitator of x402.',
  who: [],
  status: 200,
  response: response(
    {
      kinds: Type.Array(
        response({
          x402Version: Type.Literal(X402_VERSION, { description: 'The version of x402.' }),
          scheme: oneOf(
            ['exact', 'upto'],
            '`exact`: the price is paid in full. `upto`: the seller captures as much of it as it says.',
          ),
          network,
          extra: response(
            {
              service: textOut('The origin of this service.', 'https://batua.example'),
              paymentFlow: oneOf(
                ['upfront', 'authorization'],
                '`upfront`: the payment is made before the request. `authorization`: the money is set aside before it, and captured afterwards.',
              ),
            },
            { description: 'What a price must repeat in its `extra`.' },
          ),
        }),
        { description: 'What can be paid.' },
      ),
      extensions: Type.Array(Type.String(), { description: 'Extensions of x402: none.', examples: [[]] }),
      signers: Type.Record(Type.String(), Type.Array(Type.String()), {
        description: 'Keys that sign on a blockchain: none.',
        examples: [{}],
      }),
    },
    {
      title: 'X402Supported',
      description: 'What can be paid by x402.',
      examples: [
        {
          kinds: [
            {
              ...{ x402Version: X402_VERSION, scheme: 'exact', network: 'batua:inr' },
              extra: { service: 'https://batua.example', paymentFlow: 'upfront' },
            },
          ],
          extensions: [],
          signers: {},
        },
      ],
    },
  ),
  errors: [],
})

const refusals =
  'A payment that is not as expected is refused with status 200 and a reason: one of x402 (`invalid_x402_version`, `unsupported_scheme`, `unsupported_payment_flow`, `invalid_network`, `invalid_payment_requirements`, `invalid_payload`), or one of a verification, such as `insufficient_amount` or `nonce_already_used`. The service checks that the payment’s reference is the `nonce` of the payload; whether that nonce is your own, you have to check. Only refusals count against a rate limit, which is separate and ten times an agent’s.'

export const verifyX402Payment = route({
  operationId: 'verifyX402Payment',
  method: 'POST',
  path: '/v1/x402/verify',
  tag: 'x402',
  summary: 'Verify a payment of x402',
  description: `For the payee, with its own key: whether the price was paid and its nonce is unused; this changes nothing. With the flow \`authorization\`: whether the money is set aside, and the nonce is marked as used for this \`attempt\`, so that of many requests with one authorization one is served; the same attempt is valid again. ${refusals}`,
  who: ['agent'],
  body: paymentRequest,
  status: 200,
  response: response(
    {
      isValid: Type.Boolean({ description: 'Whether it was paid or set aside, and can be settled.' }),
      invalidReason: Type.Optional(textOut('Why not.', 'insufficient_amount')),
      payer,
    },
    {
      title: 'X402Verification',
      description: 'Whether the price was paid.',
      examples: [
        { isValid: true, payer: exampleId('agt') },
        { isValid: false, invalidReason: 'insufficient_amount' },
      ],
    },
  ),
  errors: [],
})

export const settleX402Payment = route({
  operationId: 'settleX402Payment',
  method: 'POST',
  path: '/v1/x402/settle',
  tag: 'x402',
  summary: 'Settle a payment of x402',
  description: `For the payee, with its own key: verifies the payment and marks its nonce as used, in one step. The same \`attempt\` gets the same response again; another one gets \`nonce_already_used\`. With the flow \`authorization\` the price is captured and the rest returned; with \`upto\`, as much as \`amount\` of the requirements says, at most the accepted price, and of 0 nothing, without a fee. With \`"phase": "cancel"\` in the payload, what the same attempt settled is refunded, once, and what was set aside for it is returned, with its fee. ${refusals} A refund that is refused has the error’s code as the reason.`,
  who: ['agent'],
  body: paymentRequest,
  status: 200,
  response: response(
    {
      success: Type.Boolean({ description: 'Whether it was settled, or refunded.' }),
      errorReason: Type.Optional(textOut('Why not.', 'nonce_already_used')),
      transaction: textOut(
        'The payment; of a refund, its id; of a returned authorization, that one; empty if nothing was settled.',
        exampleId('pay'),
      ),
      network,
      payer,
      amount: Type.Optional(textOut('What was settled or refunded, in paise.', '250')),
    },
    {
      title: 'X402Settlement',
      description: 'Whether the payment was settled.',
      examples: [
        {
          ...{ success: true, transaction: exampleId('pay'), network: 'batua:inr', payer: exampleId('agt') },
          amount: '250',
        },
        { success: false, errorReason: 'nonce_already_used', transaction: '', network: 'batua:inr' },
      ],
    },
  ),
  errors: [],
})
