import type { Client } from '../client/client.ts'

/** What a seller needs of the client. */
export type PaymentService = Pick<
  Client,
  'verifyTransaction' | 'refundPayment' | 'restoreNonce' | 'getCurrentAgent' | 'getServiceKeys'
>

/** Nobody waits for what is made good after a failure, so it is tried for longer than other calls. */
export const AFTERWARDS = { maxRetries: 6 } as const
