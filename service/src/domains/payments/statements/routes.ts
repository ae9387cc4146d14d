import { listOwnerTransactions, listPlatformTransactions, listTransactions } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import {
  readOwnerStatement,
  readPlatformStatement,
  readStatement,
  type TransactionsContext,
} from './read-statement.ts'

export function serveTransactions(serve: Serve, context: TransactionsContext): void {
  serve(listTransactions, ({ caller, params, query }) =>
    readStatement(context, caller, params.agent_id, query),
  )

  serve(listPlatformTransactions, ({ caller, query }) => readPlatformStatement(context, caller, query))

  serve(listOwnerTransactions, ({ caller, query }) => readOwnerStatement(context, caller, query))
}
