import type { Queryable } from './db/database.ts'
import { countPendingOfPlatform } from './domains/banking/index.ts'
import { countHeldOfPlatform } from './domains/payments/index.ts'
import type { Uuid } from './kernel/ids.ts'

/** How many agents of a platform have money outside their wallets: in escrow, or in a pending payout. */
export async function countMoneyElsewhere(db: Queryable, platformId: Uuid) {
  const withEscrow = await countHeldOfPlatform(db, platformId)
  return { withEscrow, withPayout: await countPendingOfPlatform(db, platformId) }
}
