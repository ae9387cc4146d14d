import { type GatewayResult, value } from '../gateway-result.ts'
import type { PayoutProvider, PayoutRequest, ProviderPayout } from '../payout-provider.ts'
import { readPayoutWebhook } from '../payout-webhook.ts'
import { ensureBeneficiary } from './beneficiaries.ts'
import { type CallCashfree, type CashfreeAccess, isTaken, openCashfree } from './http.ts'
import { rupeesJson } from './rupees-json.ts'
import { readTransfer } from './transfer.ts'

export interface CashfreePayoutOptions extends CashfreeAccess {
  /** Cashfree signs notices with the client secret; several count while it is being rotated. */
  readonly webhookSecrets: readonly string[]
}

/** A transfer is slower than a question: banks are asked on the way. */
const TIMEOUT_MS = 20_000
const LONGEST_REMARKS = 70

/** Cashfree's Payouts, version 2. */
export function createCashfreePayouts(options: CashfreePayoutOptions): PayoutProvider {
  const ask = openCashfree({ timeoutMs: TIMEOUT_MS, ...options })
  return {
    name: 'cashfree-payouts',
    ensureBeneficiary: beneficiary => ensureBeneficiary(ask, beneficiary),
    send: payout => send(ask, payout),
    get: transferId => getTransfer(ask, transferId),
    parseWebhook: (rawBody, headers) => readPayoutWebhook(rawBody, headers, options.webhookSecrets),
  }
}

async function send(
  ask: CallCashfree,
  { transferId, beneficiaryId, amountPaise, remarks }: PayoutRequest,
): Promise<GatewayResult<ProviderPayout>> {
  const answer = await ask({
    method: 'POST',
    path: '/transfers',
    idempotencyKey: transferId,
    body: {
      transfer_id: transferId,
      transfer_amount: rupeesJson(amountPaise),
      transfer_mode: 'banktransfer',
      beneficiary_details: { beneficiary_id: beneficiaryId },
      transfer_remarks: remarks
        .replaceAll(/[^A-Za-z0-9]+/g, ' ')
        .trim()
        .slice(0, LONGEST_REMARKS),
    },
  })
  if (answer.kind === 'rejected') {
    if (isTaken(answer.code)) return sentBefore(ask, transferId, amountPaise)
    return OUT_OF_MONEY.test(answer.code) ? { kind: 'retryable', message: answer.message } : answer
  }
  if (answer.kind !== 'value') return answer
  const transfer = readTransfer(answer.value)
  return transfer === null || transfer.transferId !== transferId ? inDoubt() : value(transfer)
}

/** The operator's own account there is empty (believed): nothing was sent, and it can be once it is filled up. */
const OUT_OF_MONEY = /(?:insufficient|not_enough|low)_.*(?:balance|funds)/i

/** An earlier request of this id got through, so what became of that one is the answer. */
async function sentBefore(
  ask: CallCashfree,
  transferId: string,
  amountPaise: bigint,
): Promise<GatewayResult<ProviderPayout>> {
  const found = await getTransfer(ask, transferId)
  // Whatever is odd here, money may have gone out under this id: only asking on is safe.
  const isSame = found.kind === 'value' && found.value !== null && found.value.amountPaise === amountPaise
  return isSame && found.value !== null ? value(found.value) : inDoubt()
}

/** `transfer_not_found` is believed; the first version of the interface said that the id does not exist. */
const NOT_FOUND = /^transfer(?:_id)?_(?:not_found|does_not_exist|not_exist)$/

async function getTransfer(
  ask: CallCashfree,
  transferId: string,
): Promise<GatewayResult<ProviderPayout | null>> {
  const path = `/transfers?transfer_id=${encodeURIComponent(transferId)}`
  const answer = await ask({ method: 'GET', path })
  if (answer.kind === 'rejected') return NOT_FOUND.test(answer.code) ? value(null) : answer
  if (answer.kind !== 'value') return answer
  const transfer = readTransfer(answer.value)
  if (transfer !== null && transfer.transferId === transferId) return value(transfer)
  return { kind: 'retryable', message: 'Cashfree answered with what cannot be read' }
}

function inDoubt(): GatewayResult<never> {
  return { kind: 'unknown', message: 'Cashfree did not say what became of the transfer' }
}
