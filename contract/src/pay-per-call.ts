import { type Static, Type } from 'typebox'
import { exampleId, idSchema } from './ids.ts'
import { TIERS } from './owners.ts'
import { oneOf, response } from './schema.ts'

/** The header of a 402 response: base64 of a `PaymentChallenge` as JSON (interface section 4, Pay-per-call). */
export const CHALLENGE_HEADER = 'X-SERVICE-PAY'

/** The header of the repeated request: base64 of a `PaymentProof` as JSON (interface section 4, Pay-per-call). */
export const PROOF_HEADER = 'X-SERVICE-PAYMENT'

/** The header of a request of a known buyer: the `token` of its membership proof. */
export const IDENTITY_HEADER = 'X-SERVICE-IDENTITY'

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
    vouchers: Type.Optional(
      Type.Literal(true, { description: 'The seller also takes vouchers of an authorization to it.' }),
    ),
    buyers: Type.Optional(
      response(
        {
          tier: Type.Optional(oneOf(TIERS, 'The least trust tier of a buyer.')),
          kyc: Type.Optional(oneOf(['verified'], 'The KYC status that a buyer must have.')),
        },
        {
          description:
            'The seller reads X-SERVICE-IDENTITY, and sells only to agents like this; to everybody if it is empty. With this field the nonce is for the agent in that header only. A 403 has a challenge without `amount` and `nonce`: it says who may buy.',
        },
      ),
    ),
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

/** The header of a response to a voucher: the amount in all that the seller counts, INR, a decimal string. */
export const TOTAL_HEADER = 'X-SERVICE-VOUCHER-TOTAL'

const token = (description: string) =>
  Type.String({
    pattern: '^[\\w-]+\\.[\\w-]+\\.[\\w-]+$',
    maxLength: 5_500,
    description,
    examples: ['eyJ9.e30.AAAA'],
  })

/** A buyer's proof by a voucher of an authorization, instead of a payment (contract section 12). */
export const VoucherProof = response(
  {
    version: Type.Literal(1, { description: 'The version of this protocol.' }),
    authorization: token('The `token` of the authorization.'),
    voucher: token('A voucher whose amount covers what the seller counts and this call.'),
    fromAgent: idSchema('agt', 'The payer.'),
    nonce,
  },
  {
    title: 'VoucherProof',
    description: 'The content of X-SERVICE-PAYMENT for a voucher.',
    examples: [
      {
        ...{ version: 1, authorization: 'eyJ9.e30.AAAA', voucher: 'eyJ9.e30.AAAA' },
        ...{ fromAgent: exampleId('agt'), nonce: exampleNonce },
      },
    ],
  },
)
export type VoucherProof = Static<typeof VoucherProof>
