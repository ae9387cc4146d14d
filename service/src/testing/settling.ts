import type { SettlementContext } from '../domains/banking/settlement/context.ts'
import { type Runner, runSlice } from '../domains/banking/settlement/run-settlement.ts'
import { newUuid, type Uuid } from '../kernel/ids.ts'
import type { TestDatabase } from './database.ts'
import type { ManualClock } from './manual-clock.ts'
import { openPayoutNode, type PayoutNode } from './paying-out.ts'
import { type ScriptedPayouts, scriptedPayouts } from './scripted-payouts.ts'

/** The part of a node that settles. */
export interface SettlingNode extends PayoutNode, SettlementContext {
  readonly clock: ManualClock
  readonly runner: Runner
  /** Continues the run until it is done; returns the number of wallets checked. */
  run(slice?: number): Promise<number>
}

export function openSettlingNode(
  db: TestDatabase,
  clock: ManualClock,
  provider: ScriptedPayouts = scriptedPayouts(),
  changes: Partial<SettlementContext> = {},
): SettlingNode {
  const runner: Runner = { holder: newUuid(clock.now()), finishedDay: null }
  const node: SettlingNode = {
    ...openPayoutNode(db, provider, clock),
    settlement: 'on',
    ...changes,
    clock,
    runner,
    async run(slice) {
      let looked = 0
      for (;;) {
        const done = await runSlice(node, runner, clock.now(), slice)
        if (done === 0) return looked
        looked += done
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
