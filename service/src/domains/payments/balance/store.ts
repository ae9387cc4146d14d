import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

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
