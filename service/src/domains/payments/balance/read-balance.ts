import type { Balance } from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import type { Caller } from '../../../http/caller.ts'
import { assert } from '../../../kernel/assert.ts'
import { rupees } from '../../../kernel/money.ts'
import { requireAgentAccess } from '../../parties/index.ts'
import { selectWallet } from './store.ts'

/** The balance of a wallet now: stored figures, which every commit that moves its money has updated. */
export async function readBalance(database: Database, caller: Caller, address: string): Promise<Balance> {
  const agent = await requireAgentAccess(database, caller, address)
  const wallet = await selectWallet(database, agent.id)
  assert(wallet !== null, 'every agent has a wallet')
  return {
    available: rupees(wallet.availablePaise),
    total_funded: rupees(wallet.totalFundedPaise),
    total_spent: rupees(wallet.totalSpentPaise),
  }
}
