import {
  listOwnerTransactions,
  listTransactions,
  restoreNonce as restoreRoute,
  verifyTransaction,
} from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import type { TransactionsContext } from './context.ts'
import { readOwnerStatement, readStatement } from './read-statement.ts'
import { restoreNonce } from './restore-nonce.ts'
import { verifyPayment } from './verify-payment.ts'

export function serveTransactions(serve: Serve, context: TransactionsContext): void {
  serve(listTransactions, ({ caller, params, query }) =>
    readStatement(context, caller, params.agent_id, query),
  )

  serve(listOwnerTransactions, ({ caller, query }) => readOwnerStatement(context, caller, query))

  serve(
    verifyTransaction,
    ({ caller, params, query, now }) => verifyPayment(context, caller, params.txn_id, query, now),
    // Strangers make a seller ask about what they invent: that must not use up what it needs for all else.
    { isFailure: ({ verified }) => !verified },
  )

  serve(restoreRoute, ({ caller, params, body, now }) =>
    restoreNonce(context, caller, params.txn_id, body, now),
  )
}
