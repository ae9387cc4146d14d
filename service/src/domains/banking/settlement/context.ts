import type { PayoutsContext } from '../payouts/context.ts'

/** The dependencies of the settlement of unused balances. */
export interface SettlementContext extends PayoutsContext {
  readonly settlement: 'on' | 'off'
}
