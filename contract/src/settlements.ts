import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** Why a run skipped a wallet that was due (contract section 4, Settlement). */
export const SETTLEMENT_SKIP_REASONS = [
  'no_verified_bank_account',
  'agent_frozen',
  'agent_quarantined',
  'below_minimum',
] as const

export type SettlementSkipReason = (typeof SETTLEMENT_SKIP_REASONS)[number]

const count = (description: string, example = 0) => Type.Integer({ description, examples: [example] })
const day = (description: string) => Type.String({ format: 'date', description, examples: ['2026-11-20'] })

/** One day's settlement (contract section 4). Amounts in INR. */
export const SettlementRun = response(
  {
    day: day('The business day in IST.'),
    status: oneOf(['running', 'finished'], 'Whether every wallet has been checked.'),
    paid_count: count('Wallets that were paid out.', 310),
    paid_amount: amountOut('The sum that was paid out, INR.'),
    skipped: response(
      {
        no_verified_bank_account: count('The owner has no verified bank account.', 4),
        agent_frozen: count('The agent is frozen.', 1),
        agent_quarantined: count('The agent is quarantined.', 0),
        below_minimum: count('The balance is below 1 INR; the owner can withdraw it.', 12),
      },
      { description: 'Wallets that were due and skipped, by reason.' },
    ),
    started_at: timestamp('When it began.'),
    finished_at: nullable(timestamp('When it ended; null while it runs.')),
  },
  {
    title: 'SettlementRun',
    description: 'One day’s settlement of unused balances.',
    examples: [
      {
        day: '2026-11-20',
        status: 'finished',
        paid_count: 310,
        paid_amount: 184200.5,
        skipped: {
          no_verified_bank_account: 4,
          agent_frozen: 1,
          agent_quarantined: 0,
          below_minimum: 12,
        },
        started_at: EXAMPLE_TIME,
        finished_at: EXAMPLE_TIME,
      },
    ],
  },
)
export type SettlementRun = Static<typeof SettlementRun>

/** A wallet that a run skipped. Amounts in INR. */
export const SettlementSkip = response(
  {
    agent_id: idSchema('agt'),
    agent_name: textOut('Its name.', 'Research Agent'),
    owner_id: idSchema('own'),
    reason: oneOf(SETTLEMENT_SKIP_REASONS, 'Why it was skipped.'),
    balance: amountOut('The balance that was not paid out, INR.'),
  },
  {
    title: 'SettlementSkip',
    description: 'A wallet that was due and skipped.',
    examples: [
      {
        agent_id: exampleId('agt'),
        agent_name: 'Research Agent',
        owner_id: exampleId('own'),
        reason: 'no_verified_bank_account',
        balance: 973,
      },
    ],
  },
)
export type SettlementSkip = Static<typeof SettlementSkip>

export const listSettlements = route({
  operationId: 'listSettlements',
  method: 'GET',
  path: '/v1/admin/settlements',
  tag: 'Administration',
  summary: 'List settlement runs',
  description: 'The payouts and skipped wallets of each business day’s run, newest first.',
  who: ['admin'],
  query: request(pageQuery),
  status: 200,
  response: listOf('settlements', SettlementRun, {
    title: 'SettlementRunList',
    description: 'A page of settlement runs.',
  }),
  errors: [],
})

export const listSettlementSkips = route({
  operationId: 'listSettlementSkips',
  method: 'GET',
  path: '/v1/admin/settlements/{day}/skipped',
  tag: 'Administration',
  summary: 'List the skipped wallets of a settlement run',
  description:
    'Wallets that were due on that day but not paid out, with the reason. The next run checks them again.',
  who: ['admin'],
  params: request({
    day: Type.String({
      minLength: 1,
      maxLength: 10,
      description: 'The business day in IST.',
      examples: ['2026-11-20'],
    }),
  }),
  query: request({
    reason: Type.Optional(oneOf(SETTLEMENT_SKIP_REASONS, 'Only wallets that were skipped for this reason.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('skipped', SettlementSkip, {
    title: 'SettlementSkipList',
    description: 'A page of skipped wallets.',
  }),
  errors: ['not_found'],
})
