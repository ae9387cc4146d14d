import type { IncomingHttpHeaders } from 'node:http'
import { textAt } from './exact-json.ts'
import type { PayoutWebhook } from './payout-provider.ts'
import { readSignedWebhook } from './signed-webhook.ts'

/** Reads a webhook about a transfer in Cashfree's format, which the sandbox uses as well. */
export function readPayoutWebhook(
  rawBody: Buffer,
  headers: IncomingHttpHeaders,
  secrets: readonly string[],
): PayoutWebhook {
  const { valid, digest, said } = readSignedWebhook(rawBody, headers, secrets)
  if (said === null) return { valid, transferIds: [], dedupeKey: digest }
  const { type, data } = said
  const transferId = textAt(data, 'transfer_id') ?? textAt(data, 'transfer', 'transfer_id')
  const isTransfer = type.startsWith('TRANSFER_') && transferId !== null
  if (!isTransfer) return { valid, transferIds: [], dedupeKey: `${type}:${digest}` }
  // The reference of the bank may arrive in a separate webhook, which is not a copy of the earlier one.
  const state = [textAt(data, 'status_code'), textAt(data, 'transfer_utr')].map(text => text ?? '')
  return { valid, transferIds: [transferId], dedupeKey: [type, transferId, ...state].join(':') }
}
