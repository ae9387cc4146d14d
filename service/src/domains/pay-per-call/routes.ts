import {
  getX402Supported,
  restoreNonce as restoreRoute,
  settleX402Payment,
  verifyTransaction,
  verifyX402Payment,
  X402_KINDS,
  X402_VERSION,
} from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { restoreNonce } from './restore-nonce.ts'
import { type VerificationContext, verifyPayment } from './verify-payment.ts'
import { readX402Request } from './x402/request.ts'
import { notSettled, notValid, type X402Context } from './x402/responses.ts'
import { settleX402, verifyX402 } from './x402/settle.ts'

export function servePayPerCall(serve: Serve, context: X402Context): void {
  serveVerification(serve, context)
  serveX402(serve, context)
}

export function serveVerification(serve: Serve, context: VerificationContext): void {
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

/** The service as a facilitator of x402, for sellers whose web servers speak it. */
function serveX402(serve: Serve, context: X402Context): void {
  const { network, service } = context.rail

  serve(getX402Supported, () => ({
    kinds: X402_KINDS.map(({ scheme, paymentFlow }) => ({
      ...{ x402Version: X402_VERSION, scheme, network },
      extra: { service, paymentFlow },
    })),
    extensions: [],
    signers: {},
  }))

  serve(
    verifyX402Payment,
    ({ caller, body, now }) => {
      const payment = readX402Request(body, context.rail)
      return typeof payment === 'string' ? notValid(payment) : verifyX402(context, caller, payment, now)
    },
    { isFailure: ({ isValid }) => !isValid },
  )

  serve(
    settleX402Payment,
    ({ caller, body, now }) => {
      const payment = readX402Request(body, context.rail)
      return typeof payment === 'string'
        ? notSettled(context, payment)
        : settleX402(context, caller, payment, now)
    },
    { isFailure: ({ success }) => !success },
  )
}
