import { restoreNonce as restoreRoute, verifyTransaction } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { restoreNonce } from './restore-nonce.ts'
import { type VerificationContext, verifyPayment } from './verify-payment.ts'

export function servePayPerCall(serve: Serve, context: VerificationContext): void {
  serve(
    verifyTransaction,
    ({ caller, params, query, now }) => verifyPayment(context, caller, params.txn_id, query, now),
    // A seller verifies ids that strangers invent. These calls must not use up its budget for all other requests.
    { isFailure: ({ verified }) => !verified },
  )

  serve(restoreRoute, ({ caller, params, body, now }) =>
    restoreNonce(context, caller, params.txn_id, body, now),
  )
}
