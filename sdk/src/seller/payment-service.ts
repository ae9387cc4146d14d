import type { Client } from '../client/client.ts'

/** What a seller needs of the client. */
export type PaymentService = Pick<
  Client,
  'verifyTransaction' | 'refundPayment' | 'restoreNonce' | 'getCurrentAgent' | 'getServiceKeys'
>

/** No client waits for a refund or a restored nonce, so these are retried for longer than other calls. */
export const AFTERWARDS = { maxRetries: 6 } as const
