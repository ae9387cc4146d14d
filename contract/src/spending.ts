import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { amountOut, textOut } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

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

const figures = {
  available: amountOut('The balance that can be spent now, INR. Negative only after a chargeback.'),
  total_funded: amountOut('The total credited, INR.'),
  total_spent: amountOut('The total of outgoing payments and their fees, INR.'),
}

const balanceExample = (amounts: object) => ({
  agent_id: exampleId('agt'),
  agent_name: 'Research Agent',
  handle: 'researcher',
  status: 'active',
  ...amounts,
})

const figuresExample = { available: 573, total_funded: 975, total_spent: 402 }

/** The figures of one of an owner's wallets, in INR. */
export const AgentBalance = response(
  {
    agent_id: idSchema('agt'),
    agent_name: textOut('Its name.', 'Research Agent'),
    handle: textOut('Its handle.', 'researcher'),
    status: oneOf(AGENT_STATUSES, 'Its state.'),
    ...figures,
  },
  {
    title: 'AgentBalance',
    description: 'The figures of one wallet in INR.',
    examples: [balanceExample(figuresExample)],
  },
)
export type AgentBalance = Static<typeof AgentBalance>

const balances = listOf('balances', AgentBalance)

export const listBalances = route({
  operationId: 'listBalances',
  method: 'GET',
  path: '/api/web/balances',
  tag: 'Owner session',
  summary: 'List the balances of all agents',
  description:
    'The wallets of all agents of the session’s owners, the newest agent first, and their sums, all at the same moment. Deactivated agents are left out unless they have money.',
  who: ['owner'],
  query: request(pageQuery),
  status: 200,
  response: response(
    {
      ...balances.properties,
      total: response(figures, { description: 'The sums over all agents, also those on other pages.' }),
    },
    {
      title: 'BalanceList',
      description: 'A page of balances, and the sums over all of them.',
      examples: [
        {
          balances: [balanceExample(figuresExample)],
          total: figuresExample,
          pagination: { total: 1, limit: 20, offset: 0 },
        },
      ],
    },
  ),
  errors: [],
})
