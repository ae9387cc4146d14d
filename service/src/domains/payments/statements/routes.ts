import { listOwnerTransactions, listTransactions } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import type { TransactionsContext } from './read-statement.ts'
import { readOwnerStatement, readStatement } from './read-statement.ts'

export function serveTransactions(serve: Serve, context: TransactionsContext): void {
  serve(listTransactions, ({ caller, params, query }) =>
    readStatement(context, caller, params.agent_id, query),
  )

  serve(listOwnerTransactions, ({ caller, query }) => readOwnerStatement(context, caller, query))
}
