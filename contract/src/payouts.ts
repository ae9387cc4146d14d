import { type Static, Type } from 'typebox'
import { amountIn, amountOut, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { answer, oneOf, request } from './schema.ts'

/** Money on its way to the owner's bank (contract section 4, Withdraw). Amounts in INR. */
export const Withdrawal = answer(
  {
    transaction_id: idSchema('txn', 'The line of the statement; its `status` and `utr` tell how it went on.'),
    agent_id: idSchema('agt'),
    amount: amountOut('What leaves the wallet, INR. There is no fee.'),
    status: oneOf(['pending'], 'The bank has not confirmed it yet.'),
    bank_account_last4: textOut('The last four digits of the owner’s account.', '9012'),
    estimated_arrival: timestamp('When it should be there, by business days: the latest moment.'),
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
    'Sends money to the owner’s verified bank account, and nowhere else; it arrives within 1 to 2 business days. Without `amount` the whole balance goes. Should the bank not take it, the money comes back into the wallet. An owner without a verified account is `kyc_required`, a frozen or quarantined agent `policy_denied`, and so is a deactivated one that was stopped so when it ended (`held_as`).',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  body: request(
    {
      amount: Type.Optional(
        amountIn('What to withdraw, INR: any amount above 0 that the wallet has; absent: all.'),
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
