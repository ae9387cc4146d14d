import type { listTransactions, QueryOf, ResponseOf } from '@batua/contract'
import type { Caller } from '../../http/caller.ts'
import { page, pageOf } from '../../http/paging.ts'
import { requireAgentAccess } from '../agents/index.ts'
import type { TransactionsContext } from './context.ts'
import { spanOf } from './span.ts'
import { statementScope } from './statement-scope.ts'
import { countLines, selectLines, selectNames } from './statement-store.ts'
import { transactionRecord } from './transaction-record.ts'

export type TransactionList = ResponseOf<typeof listTransactions>

/** A page of a wallet's statement: payments, refunds and fundings in one list, newest first. */
export async function readStatement(
  { database }: Pick<TransactionsContext, 'database'>,
  caller: Caller,
  address: string,
  query: QueryOf<typeof listTransactions>,
): Promise<TransactionList> {
  const agent = await requireAgentAccess(database, caller, address)
  const request = pageOf(query)
  const scope = statementScope(agent.id, {
    type: query.type ?? null,
    status: query.status ?? null,
    span: spanOf(query.from_date, query.to_date),
  })
  const [lines, total] = await Promise.all([
    selectLines(database, scope, request),
    countLines(database, scope),
  ])
  const others = new Set(lines.flatMap(({ counterparty }) => (counterparty === null ? [] : [counterparty])))
  const counterparties = await selectNames(database, [...others])
  const names = { agentName: agent.name, counterparties }
  return page('transactions', lines, line => transactionRecord(line, names), total, request)
}
