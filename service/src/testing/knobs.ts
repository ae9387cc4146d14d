// The tests' own entry point reads the environment as main.ts does for the service.

/** How long each long test runs. */
export const LONG_SECONDS = Number(process.env['LONG_SECONDS'] ?? '40')

/**
 * How many times as long the races and models of `npm test` are as there. `.ci/run` repeats them at length; see
 * docs/testing.md.
 */
export const PROOF_LENGTH = Number(process.env['PROOF_LENGTH'] ?? '1')

/** The seed of property-based tests; printed, so that a failure can be repeated. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** How many fundings, payouts and faults one run of money moves has. */
export const MONEY_MOVES = Number(process.env['MONEY_MOVES'] ?? '10000')

/** How many races each kind of stop has with payments. */
export const STOP_TRIES = Number(process.env['STOP_TRIES'] ?? '1000')

/** How many wallets one settlement run pays out. */
export const SETTLED_WALLETS = Number(process.env['SETTLED_WALLETS'] ?? '100000')

/** The size of the ledger of the long ledger check: one wallet's transfers, and the number of other wallets. */
export const CHECKED_TRANSFERS = Number(process.env['CHECKED_TRANSFERS'] ?? '1000000')
export const CHECKED_WALLETS = Number(process.env['CHECKED_WALLETS'] ?? '100000')

/** The number of payments in the log of the long log check; from 131,072 on, two tiles of the second level are full. */
export const CHECKED_LEAVES = Number(process.env['CHECKED_LEAVES'] ?? '200000')
