import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { amountOut, lineText, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'
import { statementQuery, Transaction, transactionExample } from './transactions.ts'

/** A search reads only so many of the newest lines, because texts have no index. */
export const SEARCHED_LINES = 2_000

const ownerTransactions = listOf('transactions', Transaction)

export const listOwnerTransactions = route({
  operationId: 'listOwnerTransactions',
  method: 'GET',
  path: '/api/web/transactions',
  tag: 'Owner session',
  summary: 'List transactions of all agents',
  description:
    'The statements of all agents of the session’s owners in one list, newest first; `agent_name` names the agent. A payment between two of them has two lines.',
  who: ['owner'],
  query: request({
    owner_id: Type.Optional(
      idSchema(
        'own',
        'Only the agents of this owner, which must be one of the session’s; any other is `not_found`.',
      ),
    ),
    agent_id: Type.Optional(idSchema('agt', 'Only transactions of this agent.')),
    search: Type.Optional(
      lineText(
        `Only transactions with this text, in any case, in the names, the reference, the note, the bank’s reference or an id. The newest ${SEARCHED_LINES.toLocaleString('en')} transactions that the other filters select are searched, and \`pagination.total\` counts the ones found among them.`,
        'invoice-2041',
      ),
    ),
    ...statementQuery,
  }),
  status: 200,
  response: response(
    {
      ...ownerTransactions.properties,
      searched_from: Type.Optional(
        timestamp(
          'Only with `search`, and only if older transactions were not searched: the time of the oldest one that was. Send an earlier `to_date` to search those.',
        ),
      ),
    },
    {
      title: 'OwnerTransactionList',
      description: 'A page of the statements.',
      examples: [{ transactions: [transactionExample], pagination: { total: 1, limit: 20, offset: 0 } }],
    },
  ),
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
