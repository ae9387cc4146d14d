import { type Static, Type } from 'typebox'
import { AgentCounts } from './admin-owners.ts'
import { amountOut, EXAMPLE_TIME, timestamp } from './fields.ts'
import { route } from './route.ts'
import { answer, nullable } from './schema.ts'

const count = (description: string, example = 0) => Type.Integer({ description, examples: [example] })

const paymentTotals = {
  count: count('How many payments.', 5120),
  volume: amountOut('What the payees got, INR.'),
  fees: amountOut('What the payers paid on top, INR.'),
}

const bookSums = answer(
  {
    balances: Type.Record(Type.String(), Type.Number(), {
      description: 'The balance of every system account by its name, and of all wallets together, INR.',
      examples: [{ wallets: 845210.5, gateway: -862000 }],
    }),
    differences: answer(
      {
        wallets: amountOut('What the wallets hold more than their transfers say, INR.'),
        escrow: amountOut('What escrow holds more than the open escrows say, INR.'),
        payouts: amountOut('What is on its way to banks more than the pending payouts say, INR.'),
      },
      { description: 'All 0 when the book is right.' },
    ),
  },
  { description: 'What the whole book came to at the last check; null before the first time.' },
)

/** The whole service at a glance (contract section 8). Amounts in INR; days are calendar days in IST. */
export const Overview = answer(
  {
    platforms: count('Platforms that are not deleted.', 12),
    owners: count('Owners of all platforms.', 340),
    agents: answer(AgentCounts.properties, { description: 'Agents of all platforms by state.' }),
    float: amountOut('What all wallets hold together, INR.'),
    escrow_held: amountOut('What is held in escrow, INR.'),
    payments: answer(
      {
        today: answer(paymentTotals, { description: 'Payments since midnight in IST.' }),
        last_30_days: answer(paymentTotals, {
          description: 'Payments of the last 30 days in IST, today included.',
        }),
      },
      { description: 'Completed payments between agents.' },
    ),
    payouts_pending: answer(
      { count: count('How many.', 3), amount: amountOut('What they carry, INR.') },
      { description: 'Payouts on their way to a bank.' },
    ),
    negative_wallets: answer(
      { count: count('How many.', 1), amount: amountOut('What they owe together, INR.') },
      { description: 'Wallets that a chargeback took below zero.' },
    ),
    pending_approvals: count('Payments and holds that wait for an owner.', 4),
    open_alerts: count('Risk alerts that nobody has reviewed.', 2),
    failed_deliveries: count('Webhook deliveries that were given up.', 0),
    ledger: answer(
      {
        balanced: nullable(
          Type.Boolean({
            description:
              'Whether the last check of the whole book and of the rows that decide about money, and that of the audit log, found them right; null before the first of the book.',
            examples: [true],
          }),
        ),
        checked_at: nullable(timestamp('When the last whole check ended; null before the first time.')),
        sums: nullable(bookSums),
      },
      { description: 'The unending check of every account, every transfer and every audit entry.' },
    ),
    reconciliation: answer(
      {
        differences: nullable(count('Differences that the last comparison found; null before the first.', 0)),
        checked_at: nullable(timestamp('When it ended; null before the first time.')),
      },
      { description: 'The comparison of the book with the gateway.' },
    ),
  },
  {
    title: 'Overview',
    description: 'The whole service at a glance.',
    examples: [
      {
        platforms: 12,
        owners: 340,
        agents: { total: 1250, active: 1180, paused: 40, quarantined: 10, frozen: 5, deactivated: 15 },
        float: 845210.5,
        escrow_held: 12000,
        payments: {
          today: { count: 5120, volume: 96240, fees: 5400.25 },
          last_30_days: { count: 148200, volume: 2950000, fees: 161000.5 },
        },
        payouts_pending: { count: 3, amount: 1200 },
        negative_wallets: { count: 1, amount: 402 },
        pending_approvals: 4,
        open_alerts: 2,
        failed_deliveries: 0,
        ledger: {
          balanced: true,
          checked_at: EXAMPLE_TIME,
          sums: {
            balances: { wallets: 845210.5, escrow: 12000, payouts: 1200, gateway: -862000 },
            differences: { wallets: 0, escrow: 0, payouts: 0 },
          },
        },
        reconciliation: { differences: 0, checked_at: EXAMPLE_TIME },
      },
    ],
  },
)
export type Overview = Static<typeof Overview>

export const getOverview = route({
  operationId: 'getOverview',
  method: 'GET',
  path: '/v1/admin/overview',
  tag: 'Administration',
  summary: 'See the whole service at a glance',
  description:
    'Counts and sums over all platforms as of one moment. Amounts are INR; a day is a calendar day in IST.',
  who: ['admin'],
  status: 200,
  response: Overview,
  errors: [],
})
