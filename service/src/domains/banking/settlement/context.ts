import type { PayoutsContext } from '../payouts/context.ts'

/** What settling unused balances works with. */
export interface SettlementContext extends PayoutsContext {
  readonly settlement: 'on' | 'off'
}
