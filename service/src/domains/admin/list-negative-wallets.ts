import type { listNegativeWallets, NegativeWallet, QueryOf, ResponseOf } from '@batua/contract'
import { page, pageOf } from '../../http/paging.ts'
import { formatId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import type { AdminContext } from './context.ts'
import { type OwingWallet, selectOwingWallets, sumNegativeWallets } from './negative-wallets-store.ts'

/** The wallets with a negative balance after a chargeback, newest chargeback first. */
export async function readNegativeWallets(
  { database }: Pick<AdminContext, 'database'>,
  query: QueryOf<typeof listNegativeWallets>,
): Promise<ResponseOf<typeof listNegativeWallets>> {
  const request = pageOf(query)
  const [rows, { count }] = await Promise.all([
    selectOwingWallets(database, request),
    sumNegativeWallets(database),
  ])
  return page('wallets', rows, negativeWallet, count, request)
}

function negativeWallet(wallet: OwingWallet): NegativeWallet {
  return {
    agent_id: formatId('agt', wallet.agentId),
    agent_name: wallet.agentName,
    owner_id: formatId('own', wallet.ownerId),
    platform_id: formatId('plt', wallet.platformId),
    balance: rupees(wallet.balancePaise),
    reversed_at: wallet.reversedAt.toISOString(),
  }
}
