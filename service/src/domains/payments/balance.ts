import { type Balance, getBalance } from '@batua/contract'
import type { Database, Queryable } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import type { Serve } from '../../http/serve.ts'
import { assert } from '../../kernel/assert.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import { requireAgentAccess } from '../parties/index.ts'

/** The figures of a wallet as the posting engine stores them. */
export interface Wallet {
  readonly availablePaise: Paise
  readonly totalFundedPaise: Paise
  readonly totalSpentPaise: Paise
}

/** A wallet's account has its agent's id. */
export async function selectWallet(db: Queryable, agentId: Uuid): Promise<Wallet | null> {
  const [row] = await db.query<Wallet>(
    `select balance_paise as "availablePaise", total_funded_paise as "totalFundedPaise",
       total_spent_paise as "totalSpentPaise"
     from accounts where id = $1`,
    [agentId],
  )
  return row ?? null
}

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

export interface WalletsContext {
  readonly database: Database
}

export function serveWallets(serve: Serve, { database }: WalletsContext): void {
  serve(getBalance, ({ caller, params }) => readBalance(database, caller, params.agent_id))
}
