import { type Static, Type } from 'typebox'
import { amountOut, base64Out, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

const receiptProperties = {
  receipt_id: idSchema('rcp'),
  payment_id: idSchema('pay'),
  from: idSchema('agt', 'The payer.'),
  from_handle: textOut('The payer’s handle.', 'researcher'),
  to: idSchema('agt', 'The payee.'),
  to_handle: textOut('The payee’s handle.', 'translator'),
  amount: amountOut('What the payee got, INR.'),
  fee: amountOut('What the payer paid on top, INR.'),
  currency: oneOf(['INR'], 'The currency.'),
  reference: nullable(textOut('The payer’s reference; null to strangers.', 'invoice-2041')),
  note: nullable(textOut('The payer’s note; null to strangers.', 'Translation of 12 pages')),
  created_at: timestamp('When the payment completed.'),
  issuer: textOut('The service that signed it.', 'batua'),
  key_id: textOut('Which of the service’s public keys signed it.', 'key_2026-11_5d41402a'),
  signature: base64Out(
    'Ed25519 over the RFC 8785 canonical JSON of the receipt without `signature` and `token`, base64.',
    64,
  ),
  token: nullable(
    textOut('The same receipt as a compact EdDSA JWT; null to strangers.', 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'),
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
export const Receipt = answer(receiptProperties, {
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
  description: 'For the agents of either side, their platforms and owners. To anyone else it is `not_found`.',
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
    'Checks the stored receipt against its signature. 200 either way. Any credential will do; who is no party to the payment sees `reference`, `note` and `token` as null.',
  who: ['platform', 'agent', 'owner', 'admin'],
  params,
  status: 200,
  response: answer(
    {
      valid: Type.Boolean({ description: 'Whether the receipt exists and its signature is good.' }),
      reason: oneOf(['ok', 'not_found', 'bad_signature'], '`ok` when valid, otherwise why not.'),
      receipt: nullable(answer(receiptProperties, { description: 'The receipt; null when there is none.' })),
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
