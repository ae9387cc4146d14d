import { type Static, Type } from 'typebox'
import { amountOut, textOut } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { route } from './route.ts'
import { request, response } from './schema.ts'

/** How far back the spending of an agent is summed. */
export const DEFAULT_SPENDING_DAYS = 30
export const MAX_SPENDING_DAYS = 92

/** Payees with sums of their own; what others received is one sum. */
export const SPENDING_PAYEES = 6

const day = (description: string, example: string) =>
  Type.String({ format: 'date', description, examples: [example] })
const amount = amountOut('The sum, INR, without fees.')
const payments = Type.Integer({ description: 'The number of payments and holds.', examples: [2] })

const payeeExample = {
  agent_id: exampleId('agt', 2),
  agent_name: 'Translation Agent',
  amount: 800,
  payments: 2,
}

/** What an agent spent on each IST day, by payee. Amounts in INR. */
export const Spending = response(
  {
    agent_id: idSchema('agt'),
    from_date: day('The first IST day.', '2026-11-19'),
    to_date: day('The last IST day: today.', '2026-11-20'),
    total: amount,
    payments,
    payees: Type.Array(
      response(
        {
          agent_id: idSchema('agt', 'The payee.'),
          agent_name: textOut('Its name.', 'Translation Agent'),
          amount,
          payments,
        },
        { description: 'One payee.' },
      ),
      { description: `The ${SPENDING_PAYEES} payees that received most, the largest sum first.` },
    ),
    others: response(
      { amount, payments },
      { description: 'All other payees, and holds in escrow that have no payee yet.' },
    ),
    days: Type.Array(
      response(
        {
          date: day('The IST day.', '2026-11-20'),
          total: amount,
          payees: Type.Array(amountOut('The sum to one payee, INR.'), {
            description: 'The sum to each of `payees`, in their order.',
          }),
          others: amountOut('The sum to all others, INR.'),
        },
        { description: 'One day.' },
      ),
      { description: 'Every day of the period, the oldest first.' },
    ),
  },
  {
    title: 'Spending',
    description: 'What an agent spent, by day and payee.',
    examples: [
      {
        agent_id: exampleId('agt'),
        from_date: '2026-11-19',
        to_date: '2026-11-20',
        total: 850,
        payments: 3,
        payees: [payeeExample],
        others: { amount: 50, payments: 1 },
        days: [
          { date: '2026-11-19', total: 400, payees: [400], others: 0 },
          { date: '2026-11-20', total: 450, payees: [400], others: 50 },
        ],
      },
    ],
  },
)
export type Spending = Static<typeof Spending>

export const getSpending = route({
  operationId: 'getSpending',
  method: 'GET',
  path: '/v1/agents/{agent_id}/spending',
  tag: 'Transactions',
  summary: 'Get the spending by day and payee',
  description:
    'What the agent spent on each of the last days in IST, today included: payments, and holds that were not refunded, on the day on which the money left the wallet, without fees. Allocations, withdrawals and settlements are no spending, and a refund of a payment does not reduce it.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request({
    days: Type.Optional(
      Type.Integer({
        minimum: 1,
        maximum: MAX_SPENDING_DAYS,
        default: DEFAULT_SPENDING_DAYS,
        description: 'How many days.',
        examples: [DEFAULT_SPENDING_DAYS],
      }),
    ),
  }),
  status: 200,
  response: Spending,
  errors: ['not_found', 'authorization_error'],
})
