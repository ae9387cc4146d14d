import { type Static, Type } from 'typebox'
import { amountIn, amountOut, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

/** Money on its way to the owner's bank (contract section 4, Withdraw). Amounts in INR. */
export const Withdrawal = response(
  {
    transaction_id: idSchema('txn', 'The statement line; its `status` and `utr` have the result.'),
    agent_id: idSchema('agt'),
    amount: amountOut('The amount, INR. There is no fee.'),
    status: oneOf(['pending'], 'The bank has not confirmed it yet.'),
    bank_account_last4: textOut('The last four digits of the owner’s account.', '9012'),
    estimated_arrival: timestamp('When it should arrive at the latest, by business days.'),
  },
  {
    title: 'Withdrawal',
    description: 'Money on its way to the owner’s bank.',
    examples: [
      {
        transaction_id: exampleId('txn'),
        agent_id: exampleId('agt'),
        amount: 400,
        status: 'pending',
        bank_account_last4: '9012',
        estimated_arrival: '2026-11-24T12:30:00.000Z',
      },
    ],
  },
)
export type Withdrawal = Static<typeof Withdrawal>

export const withdraw = route({
  operationId: 'withdraw',
  method: 'POST',
  path: '/v1/agents/{agent_id}/withdraw',
  tag: 'Wallet',
  summary: 'Withdraw to the owner’s bank',
  description:
    'Sends money to the owner’s verified bank account, and to no other. It arrives within 1 to 2 business days. Without `amount` the whole balance is withdrawn. If the bank refuses it, the money returns to the wallet. An owner without a verified account is `kyc_required`. A frozen or quarantined agent is `policy_denied`, and so is a deactivated one that was frozen or quarantined before (`held_as`).',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  body: request(
    {
      amount: Type.Optional(
        amountIn('The amount, INR: above 0 and at most the balance; if absent, the whole balance.'),
      ),
    },
    { title: 'WithdrawRequest', examples: [{ amount: 400 }, {}] },
  ),
  status: 200,
  response: Withdrawal,
  errors: [
    'not_found',
    'authorization_error',
    'validation_error',
    'kyc_required',
    'policy_denied',
    'insufficient_balance',
  ],
})
