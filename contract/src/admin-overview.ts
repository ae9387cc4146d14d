import { type Static, Type } from 'typebox'
import { AgentCounts } from './admin-owners.ts'
import { amountOut, EXAMPLE_TIME, timestamp } from './fields.ts'
import { route } from './route.ts'
import { nullable, response } from './schema.ts'

const count = (description: string, example = 0) => Type.Integer({ description, examples: [example] })

const paymentTotals = {
  count: count('The number of payments.', 5120),
  volume: amountOut('The sum that payees received, INR.'),
  fees: amountOut('The fees that payers paid in addition, INR.'),
}

const ledgerSums = response(
  {
    balances: Type.Record(Type.String(), Type.Number(), {
      description: 'The balance of every system account by its name, and of all wallets together, INR.',
      examples: [{ wallets: 845210.5, gateway: -862000 }],
    }),
    differences: response(
      {
        wallets: amountOut('The balances of the wallets minus the sum of their transfers, INR.'),
        escrow: amountOut('The balance of the escrow account minus the open escrows, INR.'),
        authorizations: amountOut(
          'The balance of the authorizations account minus what is left of the authorizations, INR.',
        ),
        payouts: amountOut('The balance of the payouts account minus the pending payouts, INR.'),
      },
      { description: 'All are 0 if the ledger is consistent.' },
    ),
  },
  { description: 'The sums of the whole ledger at the last check; null before the first check.' },
)

/** Figures of the whole service (contract section 8). Amounts in INR; days are calendar days in IST. */
export const Overview = response(
  {
    platforms: count('Platforms that are not deleted.', 12),
    owners: count('Owners of all platforms.', 340),
    agents: response(AgentCounts.properties, { description: 'Agents of all platforms, by state.' }),
    float: amountOut('The sum of all wallets, INR.'),
    escrow_held: amountOut('The money in escrow, INR.'),
    authorized: amountOut('The money that payers set aside for captures, INR, with the fees on it.'),
    payments: response(
      {
        today: response(paymentTotals, { description: 'Payments since midnight in IST.' }),
        last_30_days: response(paymentTotals, {
          description: 'Payments of the last 30 days in IST, today included.',
        }),
      },
      { description: 'Completed payments between agents.' },
    ),
    payouts_pending: response(
      { count: count('How many.', 3), amount: amountOut('Their sum, INR.') },
      { description: 'Payouts on their way to a bank.' },
    ),
    negative_wallets: response(
      { count: count('How many.', 1), amount: amountOut('The sum that they owe, INR.') },
      { description: 'Wallets that a chargeback took below zero.' },
    ),
    pending_approvals: count('Payments and holds that wait for an owner.', 4),
    open_alerts: count('Risk alerts that have not been reviewed.', 2),
    failed_deliveries: count('Webhook deliveries that failed for good.', 0),
    ledger: response(
      {
        balanced: nullable(
          Type.Boolean({
            description:
              'Whether the last ledger check and the last log check found no fault in the ledger, in the rows that decide about money, and in the audit log; null before the first ledger check.',
            examples: [true],
          }),
        ),
        checked_at: nullable(
          timestamp('When the last complete ledger check ended; null before the first one.'),
        ),
        sums: nullable(ledgerSums),
      },
      { description: 'The continuous check of every account, every transfer and every audit entry.' },
    ),
    reconciliation: response(
      {
        differences: nullable(
          count(
            'The number of differences that the last reconciliation found; null before the first one.',
            0,
          ),
        ),
        checked_at: nullable(timestamp('When it ended; null before the first one.')),
      },
      { description: 'The comparison of the ledger with the gateway’s records.' },
    ),
  },
  {
    title: 'Overview',
    description: 'Figures of the whole service.',
    examples: [
      {
        platforms: 12,
        owners: 340,
        agents: { total: 1250, active: 1180, paused: 40, quarantined: 10, frozen: 5, deactivated: 15 },
        float: 845210.5,
        escrow_held: 12000,
        authorized: 800.5,
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
            differences: { wallets: 0, escrow: 0, authorizations: 0, payouts: 0 },
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
  summary: 'Get the overview',
  description:
    'Counts and sums over all platforms, as of one moment. Amounts are INR. A day is a calendar day in IST.',
  who: ['admin'],
  status: 200,
  response: Overview,
  errors: [],
})
