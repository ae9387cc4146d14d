import { payoutCrashTests } from './src/payout-crash-tests.ts'

payoutCrashTests({
  crashes: Number(process.env['LONG_CRASHES'] ?? 25),
  walletsPerAccount: 4,
  // A run takes 250 wallets in a slice: these need two slices.
  strangers: 240,
})
