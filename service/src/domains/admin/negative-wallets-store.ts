import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'

/** A wallet that a chargeback took below zero. */
export interface OwingWallet {
  /** The id of its last chargeback, which orders the list. */
  readonly id: Uuid
  readonly agentId: Uuid
  readonly agentName: string
  readonly ownerId: Uuid
  readonly platformId: Uuid
  readonly balancePaise: Paise
  readonly reversedAt: Date
}

/** Only a chargeback makes a balance negative. Chargebacks have an index of their own; balances have none. */
const OWING = `
  from (
    select distinct on (debit_account) debit_account, id, posted_at from transfers
    where kind = 'chargeback' order by debit_account, id desc
  ) c join accounts a on a.id = c.debit_account
  where a.balance_paise < 0`

/** A page of wallets, newest last chargeback first. */
export function selectOwingWallets(
  db: Queryable,
  { before, offset, fetch }: PageRequest,
): Promise<OwingWallet[]> {
  return db.query<OwingWallet>(
    `select o.id, o.wallet as "agentId", g.name as "agentName", g.owner_id as "ownerId",
       g.platform_id as "platformId", o.balance_paise as "balancePaise", o.posted_at as "reversedAt"
     from (select c.id, c.debit_account as wallet, a.balance_paise, c.posted_at ${OWING}) o
       join agents g on g.id = o.wallet
     where $1::uuid is null or o.id < $1 order by o.id desc offset $2 limit $3`,
    [before, offset, fetch],
  )
}

export async function sumNegativeWallets(db: Queryable): Promise<{ count: bigint; owedPaise: Paise }> {
  const [row] = await db.query<{ count: bigint; owedPaise: Paise }>(
    `select count(*) as count, coalesce(-sum(a.balance_paise), 0)::int8 as "owedPaise" ${OWING}`,
    [],
  )
  return row ?? { count: 0n, owedPaise: 0n as Paise }
}
