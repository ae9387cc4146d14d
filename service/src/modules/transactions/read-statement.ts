import type { listOwnerTransactions, listTransactions, QueryOf, ResponseOf } from '@batua/contract'
import type { Caller, OwnerCaller } from '../../http/caller.ts'
import { spanOf } from '../../http/date-span.ts'
import { page, pageOf } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { requireAgentAccess } from '../agents/index.ts'
import type { TransactionsContext } from './context.ts'
import { lineIdOf, statementScope } from './statement-scope.ts'
import { countLines, selectAgentsOf, selectLines, selectNames } from './statement-store.ts'
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
  const { id, name } = await requireAgentAccess(database, caller, address)
  return readStatementOf({ database }, new Map([[id, name]]), query)
}

/** A page of the statements of all of an owner's agents as one list, or of one of them. */
export async function readOwnerStatement(
  { database }: Reading,
  caller: OwnerCaller,
  { agent_id, ...query }: QueryOf<typeof listOwnerTransactions>,
): Promise<TransactionList> {
  if (agent_id !== undefined) return readStatement({ database }, caller, agent_id, query)
  return readStatementOf({ database }, await selectAgentsOf(database, caller.ownerIds), query)
}

/** A page of the statements of these agents, whose names are given, as one list. */
export async function readStatementOf(
  { database }: Reading,
  agents: ReadonlyMap<Uuid, string>,
  query: QueryOf<typeof listTransactions>,
): Promise<TransactionList> {
  const request = pageOf(query)
  const scope = statementScope([...agents.keys()], {
    type: query.type ?? null,
    status: query.status ?? null,
    span: spanOf(query.from_date, query.to_date),
  })
  const [lines, total] = await Promise.all([
    selectLines(database, scope, request),
    countLines(database, scope),
  ])
  const others = new Set(lines.flatMap(({ counterparty }) => (counterparty === null ? [] : [counterparty])))
  const names = { agents, counterparties: await selectNames(database, [...others]) }
  const rows = lines.map(line => ({ id: lineIdOf(line), line }))
  return page('transactions', rows, ({ line }) => transactionRecord(line, names), total, request)
}
