import { type AgentBalance, type AgentStatus, type Balance, getBalance, listBalances } from '@batua/contract'
import type { Database, Queryable } from '../../db/database.ts'
import { type KeyedRead, rowOf } from '../../db/gathered.ts'
import type { Caller } from '../../http/caller.ts'
import { type PageRequest, page, pageOf } from '../../http/paging.ts'
import type { Serve } from '../../http/serve.ts'
import { assert } from '../../kernel/assert.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { type Paise, rupees } from '../../kernel/money.ts'
import { type Belonging, requireFound } from '../parties/index.ts'
import { serveExposure } from './overview/exposure.ts'

/** The figures of a wallet as the posting engine stores them. */
export interface Wallet {
  readonly availablePaise: Paise
  readonly totalFundedPaise: Paise
  readonly totalSpentPaise: Paise
}

/** A wallet's account has its agent's id. */
const WALLETS: KeyedRead<Wallet & Belonging> = {
  text: `select a.id, a.platform_id as "platformId", a.owner_id as "ownerId", w.balance_paise as "availablePaise",
      w.total_funded_paise as "totalFundedPaise", w.total_spent_paise as "totalSpentPaise"
    from accounts w join agents a on a.id = w.id where w.id = any($1::uuid[])`,
  keyOf: ({ id }) => id,
}

export function selectWallet(db: Queryable, agentId: Uuid): Promise<(Wallet & Belonging) | null> {
  return rowOf(db, WALLETS, agentId)
}

/** The balance of a wallet now: stored figures, which every commit that moves its money has updated. */
export async function readBalance(database: Database, caller: Caller, address: string): Promise<Balance> {
  const id = parseId('agt', address)
  return figuresOf(requireFound(caller, id === null ? null : await selectWallet(database, id)))
}

export function figuresOf({ availablePaise, totalFundedPaise, totalSpentPaise }: Wallet): Balance {
  return {
    available: rupees(availablePaise),
    total_funded: rupees(totalFundedPaise),
    total_spent: rupees(totalSpentPaise),
  }
}

interface AgentWallet extends Wallet {
  readonly id: Uuid
  readonly name: string
  readonly handle: string
  readonly status: AgentStatus
}

interface Wallets {
  readonly count: number
  readonly total: Wallet
  readonly wallets: readonly AgentWallet[]
}

/** One statement, so that the sums and the wallets are of the same moment. */
async function selectWallets(
  db: Queryable,
  ownerIds: readonly Uuid[],
  { before, fetch, offset }: PageRequest,
): Promise<Wallets> {
  type Sums = { count: number; sumAvailable: Paise; sumFunded: Paise; sumSpent: Paise }
  const rows = await db.query<Sums & (AgentWallet | { readonly id: null })>(
    `with wallets as (
       select a.id, a.name, a.handle, a.status, w.balance_paise, w.total_funded_paise, w.total_spent_paise
       from agents a join accounts w on w.id = a.id
       where a.owner_id = any($1::uuid[]) and (a.status <> 'deactivated' or w.balance_paise <> 0)
     )
     select count, "sumAvailable", "sumFunded", "sumSpent", id, name, handle, status,
       balance_paise as "availablePaise", total_funded_paise as "totalFundedPaise",
       total_spent_paise as "totalSpentPaise"
     from (
       select count(*)::int4 as count, coalesce(sum(balance_paise), 0)::int8 as "sumAvailable",
         coalesce(sum(total_funded_paise), 0)::int8 as "sumFunded",
         coalesce(sum(total_spent_paise), 0)::int8 as "sumSpent"
       from wallets
     ) sums left join (
       select id, name, handle, status, balance_paise, total_funded_paise, total_spent_paise from wallets
       where $2::uuid is null or id < $2 order by id desc limit $3 offset $4
     ) listed on true
     order by id desc`,
    [ownerIds, before, fetch, offset],
  )
  const [sums] = rows
  assert(sums !== undefined, 'sums are one row')
  return {
    count: sums.count,
    total: {
      availablePaise: sums.sumAvailable,
      totalFundedPaise: sums.sumFunded,
      totalSpentPaise: sums.sumSpent,
    },
    wallets: rows.filter(row => row.id !== null),
  }
}

function agentBalance({ id, name, handle, status, ...wallet }: AgentWallet): AgentBalance {
  return { agent_id: formatId('agt', id), agent_name: name, handle, status, ...figuresOf(wallet) }
}

export interface WalletsContext {
  readonly database: Database
}

/** What wallets have, and what can leave them. */
export function serveWallets(serve: Serve, { database }: WalletsContext): void {
  serve(getBalance, ({ caller, params }) => readBalance(database, caller, params.agent_id))

  serve(listBalances, async ({ caller, query }) => {
    const request = pageOf(query)
    const { wallets, count, total } = await selectWallets(database, caller.ownerIds, request)
    return { ...page('balances', wallets, agentBalance, count, request), total: figuresOf(total) }
  })

  serveExposure(serve, { database })
}
