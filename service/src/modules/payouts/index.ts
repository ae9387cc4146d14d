/** Money going out: payouts to owners' banks, and the provider's word about them. */
export type { PayoutsContext } from './context.ts'
export { countPendingOfPlatform } from './count-pending.ts'
export { isHeld } from './decide.ts'
export { payoutJobs } from './jobs.ts'
export {
  type BankAccount,
  type Payout,
  type PayoutKind,
  type PayoutState,
  payoutIdOf,
  transferIdOf,
} from './payout.ts'
export { payoutNotices } from './payout-notices.ts'
export { type NewPayout, postPayout } from './post-payout.ts'
export { type Holder, holders } from './request-store.ts'
export { servePayouts } from './routes.ts'
export { completePayouts, payouts, sumPayoutsPending } from './store.ts'
