// The tests' own entry point reads the environment as main.ts does for the service.

/** How long each proof at length goes on. */
export const LONG_SECONDS = Number(process.env['LONG_SECONDS'] ?? '40')

/** What a property-based proof begins with; printed, so that a failure can be looked into. */
export const SEED = Number(process.env['SEED'] ?? Math.floor(Math.random() * 2 ** 31))

/** How many fundings, payouts and faults one world of money moves goes through. */
export const MONEY_MOVES = Number(process.env['MONEY_MOVES'] ?? '10000')

/** How often each kind of stop races with payments. */
export const STOP_TRIES = Number(process.env['STOP_TRIES'] ?? '1000')

/** How many wallets one settlement run pays out. */
export const SETTLED_WALLETS = Number(process.env['SETTLED_WALLETS'] ?? '100000')

/** How large the book is that the unending check goes through: one wallet's transfers, and how many wallets beside it. */
export const CHECKED_TRANSFERS = Number(process.env['CHECKED_TRANSFERS'] ?? '1000000')
export const CHECKED_WALLETS = Number(process.env['CHECKED_WALLETS'] ?? '100000')

/** How many payments are in the log that the unending check goes through; from 131,072 on, two tiles of the second level are full. */
export const CHECKED_LEAVES = Number(process.env['CHECKED_LEAVES'] ?? '200000')
