import type {
  listOwnerTransactions,
  listPlatformTransactions,
  listTransactions,
  QueryOf,
  ResponseOf,
} from '@batua/contract'
import type { Database } from '../../../db/database.ts'
import { type Caller, type OwnerCaller, ownerOfSession, type PlatformCaller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { type FindAgent, requireAccess, selectAgentsOf, selectAgentsOfPlatform } from '../../parties/index.ts'
import { searchStatementOf } from './search-statement.ts'
import { lineIdOf, scopeOf } from './statement-scope.ts'
import { type StatementLine, selectPage } from './statement-store.ts'
import { transactionRecord } from './transaction-record.ts'

export type TransactionList = ResponseOf<typeof listTransactions>

type Reading = Pick<TransactionsContext, 'database'>

/** A page of a wallet's statement: payments, refunds and fundings in one list, newest first. */
export async function readStatement(
  { database }: Reading,
  caller: Caller,
  address: string,
  query: QueryOf<typeof listTransactions>,
): Promise<TransactionList> {
  const { id } = await requireAccess(database, caller, address)
  return readStatementOf({ database }, [id], query)
}

/** A page of the statements of all agents of the session's owners, of one of the owners, or of one agent. */
export async function readOwnerStatement(
  { database }: Reading,
  caller: OwnerCaller,
  { owner_id, agent_id, search, ...query }: QueryOf<typeof listOwnerTransactions>,
): Promise<ResponseOf<typeof listOwnerTransactions>> {
  const ownerIds = owner_id === undefined ? caller.ownerIds : [ownerOfSession(caller, owner_id)]
  const agentIds = await agentsOf(database, caller, { ownerIds, agentId: agent_id })
  if (search === undefined) return readStatementOf({ database }, agentIds, query)
  return searchStatementOf(database, agentIds, query, search)
}

interface Whose {
  readonly ownerIds: readonly Uuid[]
  /** Only this one of their agents. */
  readonly agentId: string | undefined
}

async function agentsOf(
  database: Database,
  caller: OwnerCaller,
  { ownerIds, agentId }: Whose,
): Promise<readonly Uuid[]> {
  if (agentId === undefined) return selectAgentsOf(database, ownerIds)
  const agent = await requireAccess(database, caller, agentId)
  if (!ownerIds.includes(agent.ownerId)) {
    throw new AppError('not_found', 'This owner has no agent with this id', { field: 'agent_id' })
  }
  return [agent.id]
}

/** A page of the statements of all agents of a platform, or of one of them. */
export async function readPlatformStatement(
  { database }: Reading,
  caller: PlatformCaller,
  { agent_id, ...query }: QueryOf<typeof listPlatformTransactions>,
): Promise<ResponseOf<typeof listPlatformTransactions>> {
  const agentIds =
    agent_id === undefined
      ? await selectAgentsOfPlatform(database, caller.platformId)
      : [(await requireAccess(database, caller, agent_id)).id]
  const { rows, names, total, request } = await readLines({ database }, agentIds, query)
  const render = ({ line }: ListedLine) => ({
    ...transactionRecord(line, names),
    agent_id: formatId('agt', line.wallet),
  })
  return page('transactions', rows, render, total, request)
}

/** A page of the statements of these agents as one list. */
export async function readStatementOf(
  reading: Reading,
  agentIds: readonly Uuid[],
  query: QueryOf<typeof listTransactions>,
): Promise<TransactionList> {
  const { rows, names, total, request } = await readLines(reading, agentIds, query)
  return page('transactions', rows, ({ line }) => transactionRecord(line, names), total, request)
}

interface ListedLine {
  readonly id: Uuid
  readonly line: StatementLine
}

async function readLines(
  { database }: Reading,
  agentIds: readonly Uuid[],
  query: Omit<QueryOf<typeof listPlatformTransactions>, 'agent_id'>,
) {
  const request = pageOf(query)
  const scope = scopeOf(agentIds, query)
  const { lines, names, total } = await selectPage(database, scope, request)
  const rows: ListedLine[] = lines.map(line => ({ id: lineIdOf(line), line }))
  return { rows, names, total, request }
}

/** The dependencies of reading statements. */
export interface TransactionsContext {
  readonly database: Database
  readonly vault: Vault
  readonly findAgent: FindAgent
}
