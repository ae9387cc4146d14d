import { payoutCrashTests } from './src/payout-crash-tests.ts'

// The same at length is crash-payouts.long.test.ts.
payoutCrashTests({ crashes: 3, walletsPerAccount: 1, strangers: 0 })
