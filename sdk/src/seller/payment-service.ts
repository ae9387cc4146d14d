import type { Client } from '../client/client.ts'

/** The parts of the client that a seller uses. */
export type PaymentService = Pick<
  Client,
  | 'verifyTransaction'
  | 'refundPayment'
  | 'restoreNonce'
  | 'getCurrentAgent'
  | 'getServiceKeys'
  | 'verifyX402Payment'
  | 'settleX402Payment'
>

/** No client waits for a refund or a restored nonce, so these are retried for longer than other calls. */
export const AFTERWARDS = { maxRetries: 6 } as const
