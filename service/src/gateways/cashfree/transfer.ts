import { type ExactJson, paiseAt, textAt } from '../exact-json.ts'
import { reasonWord } from '../gateway-result.ts'
import type { ProviderPayout } from '../payout-provider.ts'

/** Null when it is not a transfer. */
export function readTransfer(json: ExactJson): ProviderPayout | null {
  const transferId = textAt(json, 'transfer_id')
  const word = textAt(json, 'status')
  const amountPaise = paiseAt(json, 'transfer_amount')
  if (transferId === null || word === null || amountPaise === null) return null
  const code = textAt(json, 'status_code')
  return {
    transferId,
    providerPayoutId: textAt(json, 'cf_transfer_id'),
    status: payoutStatus(word, code),
    amountPaise,
    utr: textAt(json, 'transfer_utr'),
    reason: reasonWord(code) ?? reasonWord(word),
  }
}

/** The status gives the direction, the code the progress. */
function payoutStatus(word: string, code: string | null): ProviderPayout['status'] {
  switch (word) {
    case 'SUCCESS':
      // The money is on its way to the other bank, which has not taken it yet.
      return code === 'SENT_TO_BENEFICIARY' ? 'pending' : 'success'
    case 'FAILED':
    case 'REJECTED':
    case 'MANUALLY_REJECTED':
      return 'failed'
    case 'REVERSED':
      return 'reversed'
    // RECEIVED, QUEUED, PENDING, APPROVAL_PENDING and unknown statuses: it is queried again.
    default:
      return 'pending'
  }
}
