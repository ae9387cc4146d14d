import { type Static, Type } from 'typebox'
import { exampleId, idSchema } from './ids.ts'
import { answer, oneOf } from './schema.ts'

/** The header of a 402 response: base64 of a `PaymentChallenge` as JSON (interface section 4, Pay-per-call). */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request: base64 of a `PaymentProof` as JSON (interface section 4, Pay-per-call). */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

const exampleNonce = '0b54f0c2-7a0e-4a52-9a51-4a6c3a1f0d7e'
const nonceDescription = 'A UUID, accepted once. The payer uses it as the payment’s reference.'
const nonce = Type.String({
  minLength: 1,
  maxLength: 255,
  description: nonceDescription,
  examples: [exampleNonce],
})

/** What a seller asks for. `amount` is a decimal string in INR. camelCase, as the interface writes it. */
export const PaymentChallenge = answer(
  {
    payTo: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'Whom to pay: a handle or an agent id.',
      examples: ['translator'],
    }),
    amount: Type.String({
      pattern: '^[0-9]{1,11}(?:\\.[0-9]{1,2})?$',
      description: 'How much, INR, as a decimal string.',
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

/** How a buyer shows that it has paid. `transactionId` is the payment's id. */
export const PaymentProof = answer(
  {
    version: Type.Literal(1, { description: 'The version of this protocol.' }),
    transactionId: idSchema('pay', 'The payment made for the nonce.'),
    fromAgent: idSchema('agt', 'The payer.'),
    nonce,
    receipt: Type.Optional(
      Type.String({
        maxLength: 5_500,
        description:
          'The `token` of the payment’s receipt, as `pay` answers it on request. A seller that has the service’s public keys refuses an invented one without asking.',
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
