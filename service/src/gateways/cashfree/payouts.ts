import { type GatewayResult, value } from '../gateway-result.ts'
import type { PayoutProvider, PayoutRequest, ProviderPayout } from '../payout-provider.ts'
import { ensureBeneficiary } from './beneficiaries.ts'
import { type CallCashfree, type CashfreeAccess, isTaken, openCashfree, rupeesJson } from './http.ts'
import { readTransfer } from './transfer.ts'
import { readPayoutWebhook } from './webhooks.ts'

export interface CashfreePayoutOptions extends CashfreeAccess {
  /** Cashfree signs webhooks with the client secret; several are valid while it is being rotated. */
  readonly webhookSecrets: readonly string[]
}

/** A transfer is slower than a query, because Cashfree waits for banks. */
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
  const response = await ask({
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
  if (response.kind === 'rejected') {
    if (isTaken(response.code)) return sentBefore(ask, transferId, amountPaise)
    return OUT_OF_MONEY.test(response.code) ? { kind: 'retryable', message: response.message } : response
  }
  if (response.kind !== 'value') return response
  const transfer = readTransfer(response.value)
  return transfer === null || transfer.transferId !== transferId ? inDoubt() : value(transfer)
}

/** Our account at Cashfree has too little money (assumed): nothing was sent, and it can be sent once it has enough. */
const OUT_OF_MONEY = /(?:insufficient|not_enough|low)_.*(?:balance|funds)/i

/** An earlier request with this id succeeded, so its outcome is the result. */
async function sentBefore(
  ask: CallCashfree,
  transferId: string,
  amountPaise: bigint,
): Promise<GatewayResult<ProviderPayout>> {
  const found = await getTransfer(ask, transferId)
  // Money may have been sent under this id, so only further queries are safe.
  const isSame = found.kind === 'value' && found.value !== null && found.value.amountPaise === amountPaise
  return isSame && found.value !== null ? value(found.value) : inDoubt()
}

/** `transfer_not_found` is assumed; the first version of the API said that the id does not exist. */
const NOT_FOUND = /^transfer(?:_id)?_(?:not_found|does_not_exist|not_exist)$/

async function getTransfer(
  ask: CallCashfree,
  transferId: string,
): Promise<GatewayResult<ProviderPayout | null>> {
  const path = `/transfers?transfer_id=${encodeURIComponent(transferId)}`
  const response = await ask({ method: 'GET', path })
  if (response.kind === 'rejected') return NOT_FOUND.test(response.code) ? value(null) : response
  if (response.kind !== 'value') return response
  const transfer = readTransfer(response.value)
  if (transfer !== null && transfer.transferId === transferId) return value(transfer)
  return { kind: 'retryable', message: 'Cashfree returned a body that cannot be read' }
}

function inDoubt(): GatewayResult<never> {
  return { kind: 'unknown', message: 'Cashfree did not report the outcome of the transfer' }
}
