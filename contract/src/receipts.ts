import { type Static, Type } from 'typebox'
import { amountOut, base64Out, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

const receiptProperties = {
  receipt_id: idSchema('rcp'),
  payment_id: idSchema('pay'),
  from: idSchema('agt', 'The payer.'),
  from_handle: textOut('The payer’s handle.', 'researcher'),
  to: idSchema('agt', 'The payee.'),
  to_handle: textOut('The payee’s handle.', 'translator'),
  amount: amountOut('What the payee received, INR.'),
  fee: amountOut('The fee that the payer paid, INR.'),
  currency: oneOf(['INR'], 'The currency.'),
  reference: nullable(
    textOut('The payer’s reference; null for callers that are not a party.', 'invoice-2041'),
  ),
  note: nullable(
    textOut('The payer’s note; null for callers that are not a party.', 'Translation of 12 pages'),
  ),
  created_at: timestamp('When the payment completed.'),
  issuer: textOut('The service that signed it.', 'batua'),
  key_id: textOut('The id of the service’s public key that verifies it.', 'key_2026-11_5d41402a'),
  signature: base64Out(
    'Ed25519 over the RFC 8785 canonical JSON of the receipt without `signature` and `token`, base64.',
    64,
  ),
  token: nullable(
    textOut(
      'The same receipt as a compact EdDSA JWT; null for callers that are not a party.',
      'eyJhbGciOiJFZERTQSJ9.e30.AAAA',
    ),
  ),
}

const receiptExample = {
  receipt_id: exampleId('rcp'),
  payment_id: exampleId('pay'),
  from: exampleId('agt'),
  from_handle: 'researcher',
  to: exampleId('agt', 2),
  to_handle: 'translator',
  amount: 400,
  fee: 2,
  currency: 'INR',
  reference: 'invoice-2041',
  note: 'Translation of 12 pages',
  created_at: EXAMPLE_TIME,
  issuer: 'batua',
  key_id: 'key_2026-11_5d41402a',
  signature: `${'A'.repeat(86)}==`,
  token: 'eyJhbGciOiJFZERTQSJ9.e30.AAAA',
}

/** A signed receipt (contract section 7). Amounts in INR. Verifies offline with the key of `service-keys.json`. */
export const Receipt = response(receiptProperties, {
  title: 'Receipt',
  description: 'Proof of a payment, signed by the service.',
  examples: [receiptExample],
})
export type Receipt = Static<typeof Receipt>

const params = request({
  receipt_id: idParam('rcp', 'The receipt’s id, or the id of its payment.'),
})

export const getReceipt = route({
  operationId: 'getReceipt',
  method: 'GET',
  path: '/v1/receipts/{receipt_id}',
  tag: 'Receipts',
  summary: 'Get a receipt',
  description:
    'For the payer and the payee, their platforms and owners. For other callers it is `not_found`.',
  who: ['platform', 'agent', 'owner'],
  params,
  status: 200,
  response: Receipt,
  errors: ['not_found'],
})

export const verifyReceipt = route({
  operationId: 'verifyReceipt',
  method: 'GET',
  path: '/v1/receipts/{receipt_id}/verify',
  tag: 'Receipts',
  summary: 'Verify a receipt',
  description:
    'Checks that the receipt is genuine. The status is 200 in both cases. Any credential is accepted; for callers that are not a party to the payment, `reference`, `note` and `token` are null.',
  who: ['platform', 'agent', 'owner', 'admin'],
  params,
  status: 200,
  response: response(
    {
      valid: Type.Boolean({ description: 'Whether the receipt exists and is genuine.' }),
      reason: oneOf(['ok', 'not_found', 'bad_signature'], '`ok` if valid, otherwise the reason.'),
      receipt: nullable(response(receiptProperties, { description: 'The receipt; null if there is none.' })),
    },
    {
      title: 'ReceiptVerification',
      description: 'Whether the receipt is genuine.',
      examples: [
        { valid: true, reason: 'ok', receipt: receiptExample },
        { valid: false, reason: 'not_found', receipt: null },
      ],
    },
  ),
  errors: [],
})
