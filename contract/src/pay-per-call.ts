import { type Static, Type } from 'typebox'
import { exampleId, idSchema } from './ids.ts'
import { oneOf, response } from './schema.ts'

/** The header of a 402 response: base64 of a `PaymentChallenge` as JSON (interface section 4, Pay-per-call). */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request: base64 of a `PaymentProof` as JSON (interface section 4, Pay-per-call). */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

const exampleNonce = '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'
const nonceDescription = 'A UUID that is accepted once. The payer sends it as the payment’s reference.'
const nonce = Type.String({
  minLength: 1,
  maxLength: 255,
  description: nonceDescription,
  examples: [exampleNonce],
})

/** A seller's price. `amount` is a decimal string in INR. In camelCase, as in the interface. */
export const PaymentChallenge = response(
  {
    payTo: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The payee: a handle or an agent id.',
      examples: ['translator'],
    }),
    amount: Type.String({
      pattern: '^[0-9]{1,11}(?:\\.[0-9]{1,2})?$',
      description: 'The price, INR, as a decimal string.',
      examples: ['12.50'],
    }),
    asset: oneOf(['INR'], 'The currency.'),
    nonce,
  },
  {
    title: 'PaymentChallenge',
    description: 'The content of X-SERVICE-PAY.',
    examples: [{ payTo: 'translator', amount: '12.50', asset: 'INR', nonce: exampleNonce }],
  },
)
export type PaymentChallenge = Static<typeof PaymentChallenge>

/** A buyer's proof of payment. `transactionId` is the payment's id. */
export const PaymentProof = response(
  {
    version: Type.Literal(1, { description: 'The version of this protocol.' }),
    transactionId: idSchema('pay', 'The payment made for the nonce.'),
    fromAgent: idSchema('agt', 'The payer.'),
    nonce,
    receipt: Type.Optional(
      Type.String({
        maxLength: 5_500,
        description:
          'The `token` of the payment’s receipt, which `pay` returns on request. With it a seller refuses an invented proof by the service’s public keys, without a request to the service.',
        examples: ['eyJhbGciOiJFZERTQSJ9.e30.AAAA'],
      }),
    ),
  },
  {
    title: 'PaymentProof',
    description: 'The content of X-SERVICE-PAYMENT.',
    examples: [
      { version: 1, transactionId: exampleId('pay'), fromAgent: exampleId('agt'), nonce: exampleNonce },
    ],
  },
)
export type PaymentProof = Static<typeof PaymentProof>
