import { type SettlementContext, settleNextSlice } from '../domains/banking/settlement/run-settlement.ts'
import type { Uuid } from '../kernel/ids.ts'
import type { TestDatabase } from './database.ts'
import type { ManualClock } from './manual-clock.ts'
import { openPayoutNode, type PayoutNode } from './paying-out.ts'
import { type ScriptedPayouts, scriptedPayouts } from './scripted-payouts.ts'

/** The part of a node that settles. */
export interface SettlingNode extends PayoutNode, SettlementContext {
  readonly clock: ManualClock
  /** Continues the run until it is done; returns the number of wallets checked. */
  run(slice?: number): Promise<number>
}

export function openSettlingNode(
  db: TestDatabase,
  clock: ManualClock,
  provider: ScriptedPayouts = scriptedPayouts(),
  changes: Partial<SettlementContext> = {},
): SettlingNode {
  const node: SettlingNode = {
    ...openPayoutNode(db, provider, clock),
    settlement: 'on',
    ...changes,
    clock,
    async run(slice) {
      let checked = 0
      for (;;) {
        const done = await settleNextSlice(node, slice)
        if (done === 0) return checked
        checked += done
      }
    },
  }
  return node
}

export interface Settlement {
  readonly agentId: Uuid
  readonly amount: bigint
  readonly day: number
}

/** The payouts of the runs, in the order in which they were made. */
export function settlementsOf({ database }: TestDatabase, agentIds: readonly Uuid[]): Promise<Settlement[]> {
  return database.query<Settlement>(
    `select agent_id as "agentId", amount_paise as amount, settlement_day as day from payouts
     where kind = 'settlement' and agent_id = any($1::uuid[]) order by id`,
    [agentIds],
  )
}
