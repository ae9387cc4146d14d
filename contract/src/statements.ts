import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, spanEnd, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { type MediaType, route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'
import { Transaction } from './transactions.ts'

/** The formats of a statement and their media types. */
export const STATEMENT_FORMATS = {
  json: 'application/json',
  csv: 'text/csv',
  pdf: 'application/pdf',
} as const satisfies Record<string, MediaType>

export type StatementFormat = keyof typeof STATEMENT_FORMATS

/** The most lines that a statement as PDF has. */
export const MAX_PDF_LINES = 5_000

/** One movement of a wallet's money, with the balance after it (contract section 12, Exports). */
export const StatementLine = response(
  {
    posted_at: timestamp('When the balance changed.'),
    agent_id: idSchema('agt', 'The agent whose wallet it is.'),
    ...Transaction.properties,
    id: idSchema('txn', 'The line. It is the id of the transaction, except for a line that takes one back.'),
    reverses: nullable(
      idSchema(
        'txn',
        'The transaction that this line takes back: a refunded hold, a failed or returned payout, a chargeback. Its type is the same. Otherwise null.',
      ),
    ),
    net_amount: amountOut('What the wallet gained or lost by this line, INR.'),
    change: amountOut('The same with its sign: negative when the balance fell.'),
    running_balance: amountOut(
      'The balance after this line, INR; in a statement of all agents the sum of their balances.',
    ),
  },
  {
    title: 'StatementLine',
    description: 'One movement of a wallet’s money, with the balance after it.',
    examples: [
      {
        posted_at: EXAMPLE_TIME,
        agent_id: exampleId('agt'),
        ...(Transaction as { readonly examples?: readonly object[] }).examples?.[0],
        reverses: null,
        change: -402,
        running_balance: 573,
      },
    ],
  },
)
export type StatementLine = Static<typeof StatementLine>

export const StatementTotals = response(
  {
    lines: Type.Integer({ description: 'The number of lines.', examples: [1] }),
    credited: amountOut('The sum of all positive changes, INR.'),
    debited: amountOut('The sum of all negative changes, INR, without the sign.'),
    fees: amountOut('The sum of all fees of these lines, INR.'),
  },
  {
    title: 'StatementTotals',
    description: 'Sums over all lines: opening balance + credited − debited = closing balance.',
    examples: [{ lines: 1, credited: 0, debited: 402, fees: 2 }],
  },
)
export type StatementTotals = Static<typeof StatementTotals>

const properties = {
  agent_id: nullable(idSchema('agt', 'The agent; null in a statement of all agents.')),
  currency: oneOf(['INR'], 'The currency.'),
  from: nullable(timestamp('The beginning of the period; null: from the first movement on.')),
  until: nullable(timestamp('The end of the period, which is no longer in it; null: until now.')),
  created_at: timestamp('When the statement was made.'),
  opening_balance: amountOut('The balance before the first line, INR.'),
  closing_balance: amountOut('The balance after the last line, INR.'),
  lines: Type.Array(StatementLine, { description: 'Every change of the balance, the oldest first.' }),
  totals: StatementTotals,
  checkpoint: nullable(
    textOut(
      'A signed checkpoint of the audit log that includes the entry of every line (C2SP note); null while the log cannot be extended.',
      'batua/audit\n1\nAA==\n\n— batua/audit AA==\n',
    ),
  ),
}

/** A statement as JSON. The service sends it as a stream, in this order of fields. */
export const Statement = response(properties, {
  title: 'Statement',
  description: 'The movements of a period with the balances before and after them.',
  examples: [
    {
      agent_id: exampleId('agt'),
      currency: 'INR',
      from: '2026-10-31T18:30:00.000Z',
      until: '2026-11-30T18:30:00.000Z',
      created_at: '2026-12-01T04:00:00.000Z',
      opening_balance: 975,
      closing_balance: 573,
      lines: [(StatementLine as { readonly examples?: readonly unknown[] }).examples?.[0]],
      totals: { lines: 1, credited: 0, debited: 402, fees: 2 },
      checkpoint: 'batua/audit\n1\nAA==\n\n— batua/audit AA==\n',
    },
  ],
})
export type Statement = Static<typeof Statement>

const period = {
  from_date: Type.Optional(
    spanEnd(
      'The first day in IST, or a time; without it the statement begins at the beginning.',
      '2026-11-01',
    ),
  ),
  to_date: Type.Optional(
    spanEnd('The last day in IST, or a time; without it the statement ends now.', '2026-11-30'),
  ),
  format: Type.Optional(oneOf(['json', 'csv', 'pdf'], 'The format of the response.', { default: 'json' })),
}

const DESCRIPTION = `A line is one change of the balance, so opening balance + changes = closing balance, to the paisa, and the closing balance of one month is the opening balance of the next. What waits is in it as the balance sees it: a hold or a withdrawal that is pending is a line, and when it is taken back a second line says so; a pending funding is none. The CSV has the columns of \`lines\`, begins with a byte order mark, and has an apostrophe before text that a spreadsheet would take for a formula. The PDF is for people and has at most ${MAX_PDF_LINES.toLocaleString('en-IN')} lines. A statement is sent while it is read: a connection that ends early is an error. One credential may have one statement under way: another is \`rate_limit_exceeded\`.`

export const getStatement = route({
  operationId: 'getStatement',
  method: 'GET',
  path: '/v1/agents/{agent_id}/statement',
  tag: 'Transactions',
  summary: 'Download a statement',
  description: DESCRIPTION,
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request(period),
  status: 200,
  produces: ['application/json', 'text/csv', 'application/pdf'],
  response: Statement,
  errors: ['not_found', 'authorization_error'],
})

export const getOwnerStatement = route({
  operationId: 'getOwnerStatement',
  method: 'GET',
  path: '/api/web/statement',
  tag: 'Owner session',
  summary: 'Download a statement of all agents',
  description:
    'The statements of all agents of the session’s owners as one, in the order in which the balances changed; balances are the sums over all of them. A payment between two of them has two lines. Otherwise as the statement of one agent.',
  who: ['owner'],
  query: request({
    owner_id: Type.Optional(
      idSchema(
        'own',
        'Only the agents of this owner, which must be one of the session’s; any other is `not_found`.',
      ),
    ),
    ...period,
  }),
  status: 200,
  produces: ['application/json', 'text/csv', 'application/pdf'],
  response: Statement,
  errors: ['not_found'],
})
