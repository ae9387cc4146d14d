import type { AgentSummary, listAgentSummaries, QueryOf, ResponseOf } from '@batua/contract'
import type { Database, Queryable } from '../../../db/database.ts'
import type { OwnerCaller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Ledger } from '../../../ledger/index.ts'
import { type AgentPolicyCache, type LimitUsage, remaining, usageCommand } from '../../limits/index.ts'
import {
  type Agent,
  type AgentFilter,
  agentRecord,
  countAgents,
  headroom,
  selectAgents,
} from '../../parties/index.ts'
import { statementScope } from '../statements/statement-scope.ts'
import { type StatementLine, selectLines, selectNamesOf } from '../statements/statement-store.ts'
import { transactionRecord } from '../statements/transaction-record.ts'
import { selectWallets } from './exposure-store.ts'

/** What the routes for pages of the console read with. */
export interface PageDataContext {
  readonly database: Database
  readonly vault: Vault
  readonly ledger: Ledger
  readonly agents: AgentPolicyCache
}

export async function readAgentSummaries(
  context: PageDataContext,
  caller: OwnerCaller,
  query: QueryOf<typeof listAgentSummaries>,
  now: Date,
): Promise<ResponseOf<typeof listAgentSummaries>> {
  const { database, vault } = context
  const request = pageOf(query)
  const scope = { kind: 'owners', ownerIds: caller.ownerIds } as const
  const filter: AgentFilter = { scope, status: query.status ?? null, ownerId: null, handle: null }
  const [agents, total] = await Promise.all([
    selectAgents(database, filter, request),
    countAgents(database, filter),
  ])
  const ids = agents.map(({ id }) => id)
  const [wallets, tightest, lines] = await Promise.all([
    selectWallets(database, ids, now),
    tightestOf(context, ids),
    newestLines(database, ids),
  ])
  const walletOf = new Map(wallets.map(wallet => [wallet.id, wallet]))
  const names = await selectNamesOf(database, [...lines.values()])
  const render = (agent: Agent): AgentSummary => {
    const wallet = walletOf.get(agent.id)
    const limit = tightest.get(agent.id)
    const line = lines.get(agent.id)
    assert(wallet !== undefined, 'every agent has a wallet')
    return {
      agent: agentRecord(vault, caller, agent),
      available: rupees(wallet.balancePaise),
      held: rupees(wallet.heldPaise),
      authorized: rupees(wallet.authorizedPaise),
      pending_approvals: rupees(wallet.askedPaise),
      tightest: limit === undefined ? null : headroom(limit),
      last_transaction: line === undefined ? null : transactionRecord(line, names),
    }
  }
  return page('agents', agents, render, total, request)
}

async function tightestOf(
  { ledger, agents }: PageDataContext,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, LimitUsage>> {
  const found = ids.map(async agentId => {
    const command = usageCommand(agents, { agentId, payeeId: null }, (_, { limits }) => limits)
    // What cannot be read now, such as an agent whose row was altered, must not hide the other agents.
    const limits = await ledger.submit(command).catch(() => [])
    const limit = mostUsed(limits)
    return limit === null ? [] : [[agentId, limit] as const]
  })
  return new Map((await Promise.all(found)).flat())
}

/** Of the limits on amounts over a time, the one of which the smallest share is left; of equal shares the smallest limit. */
export function mostUsed(limits: readonly LimitUsage[]): LimitUsage | null {
  let tightest: LimitUsage | null = null
  for (const each of limits) {
    if (each.measures !== 'amount' || each.window === 'payment') continue
    if (tightest === null || isTighter(each, tightest)) tightest = each
  }
  return tightest
}

/** Shares are compared by whole numbers: left₁ ÷ limit₁ < left₂ ÷ limit₂. A limit of 0 has nothing left. */
function isTighter(one: LimitUsage, other: LimitUsage): boolean {
  const [left, otherLeft] = [remaining(one) ?? 0n, remaining(other) ?? 0n]
  const [mine, theirs] = [left * other.limit, otherLeft * one.limit]
  return mine === theirs ? one.limit < other.limit : mine < theirs
}

/** The newest line of each statement, by an index range of each wallet. */
async function newestLines(db: Queryable, ids: readonly Uuid[]): Promise<ReadonlyMap<Uuid, StatementLine>> {
  const found = ids.map(async id => {
    const scope = statementScope([id], { type: null, status: null, span: { from: null, until: null } })
    const [line] = await selectLines(db, scope, { before: null, offset: 0, fetch: 1, limit: 1 })
    return line === undefined ? [] : [[id, line] as const]
  })
  return new Map((await Promise.all(found)).flat())
}
