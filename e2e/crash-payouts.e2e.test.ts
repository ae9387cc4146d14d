import { payoutCrashTests } from './src/payout-crash-tests.ts'

// The long version is crash-payouts.long.test.ts.
payoutCrashTests({ crashes: 1, walletsPerAccount: 1, strangers: 0 })
