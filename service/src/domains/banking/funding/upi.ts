import type { Refusal } from '../../../kernel/app-error.ts'
import { orderIdOf } from './apply-funding-update.ts'
import { claimCollect } from './collect-limits.ts'
import { deleteCollect } from './collect-store.ts'
import type { FundingContext } from './context.ts'
import type { Funding } from './funding.ts'
import { recordIntent } from './store.ts'

/**
 * The `upi://pay?…` address of a funding, requested from the gateway once; null while the gateway cannot provide one.
 * The same text is the QR code.
 */
export async function upiIntentOf(context: FundingContext, funding: Funding): Promise<string | null> {
  if (funding.upiIntent !== null) return funding.upiIntent
  const gateway = context.gateways.named(funding.gateway)
  const response = await gateway?.startUpi(orderKeyOf(funding), { channel: 'intent' })
  if (response?.kind !== 'value' || response.value.intent === null) return null
  await recordIntent(context.database, context.vault, funding, response.value.intent)
  return response.value.intent
}

/** A refusal: the owner's agents sent too many requests. `others_asked`: the agents of other owners did. */
export type Collected =
  | 'requested'
  | 'unsupported'
  | 'wrong_upi_id'
  | 'gateway_failed'
  | 'others_asked'
  | Refusal

/**
 * Has the gateway send a collect request to the payer's UPI app, within its limits. The UPI id goes to the gateway and is
 * stored only as a keyed hash.
 */
export async function collectUpi(
  context: FundingContext,
  funding: Funding,
  upiId: string,
): Promise<Collected> {
  const gateway = context.gateways.named(funding.gateway)
  if (gateway === undefined) return 'gateway_failed'
  if (!gateway.capabilities.upiCollect) return 'unsupported'
  const claimed = await claimCollect(context, funding, upiId)
  if (claimed === 'others_asked' || claimed.kind === 'refusal') return claimed
  const response = await gateway.startUpi(orderKeyOf(funding), { channel: 'collect', upiId })
  switch (response.kind) {
    case 'value':
    // The request may have been sent; if it was, the checks find the payment.
    case 'unknown':
      return 'requested'
    case 'rejected':
      return response.code === 'collect_disabled' ? 'unsupported' : 'wrong_upi_id'
    case 'retryable':
      await deleteCollect(context.database, claimed.id)
      return 'gateway_failed'
  }
}

function orderKeyOf(funding: Funding): { orderId: string; gatewayOrderId: string | null } {
  return { orderId: orderIdOf(funding), gatewayOrderId: funding.gatewayOrderId }
}

const SHOWN = 2

/** `as**@examplebank`: enough for the payer to recognise the id. */
export function maskUpiId(upiId: string): string {
  const [name = '', bank = ''] = upiId.split('@', 2)
  const hidden = '*'.repeat(Math.max(2, name.length - SHOWN))
  return `${name.slice(0, SHOWN)}${hidden}@${bank}`
}
