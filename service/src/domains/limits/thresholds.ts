import type { PolicyLayer, ThresholdControl } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { type Paise, rupees, rupeesText } from '../../kernel/money.ts'
import type { Ceiling, Layer } from './layers.ts'

/** An amount above which a payment needs approval or escrow, and the layer that sets it. */
export interface Threshold {
  readonly layer: PolicyLayer
  readonly abovePaise: Paise
}

/** The approval threshold that this amount exceeds; null if it exceeds none. */
export function approvalNeeded(
  { layers, ceiling }: { readonly layers: readonly Layer[]; readonly ceiling: Ceiling },
  amountPaise: Paise,
): Threshold | null {
  if (ceiling.approvalPaise === null || amountPaise <= ceiling.approvalPaise) return null
  return exceeded(layers, amountPaise, 'require_human_approval_above')
}

/** Refuses a payment above an escrow threshold. The refusal says how to pay instead. */
export function decideEscrow(
  layers: readonly Layer[],
  amountPaise: Paise,
  maxAmountNow: Paise | null,
): Refusal | null {
  const threshold = exceeded(layers, amountPaise, 'require_escrow_above')
  if (threshold === null) return null
  const { layer, abovePaise } = threshold
  return refuse(
    'escrow_required',
    `Payments above ${rupeesText(abovePaise)} INR have to go through escrow by the ${layer} policy: the platform ` +
      `holds the money with POST /v1/agents/{agent_id}/escrow/hold and releases it to the payee. ` +
      `At most ${rupeesText(maxAmountNow ?? abovePaise)} INR can be paid directly now`,
    {
      field: 'amount',
      details: {
        rule: 'require_escrow_above',
        layer,
        escrow_above: rupees(abovePaise),
        limit: rupees(abovePaise),
        used: 0,
        remaining: rupees(abovePaise),
        max_amount_now: rupees(maxAmountNow ?? abovePaise),
      },
    },
  )
}

/** The lowest threshold that the amount exceeds; among equal ones that of the more general layer. */
function exceeded(layers: readonly Layer[], amountPaise: Paise, control: ThresholdControl): Threshold | null {
  let lowest: Threshold | null = null
  for (const { layer, thresholds } of layers) {
    const abovePaise = thresholds[control]
    if (abovePaise === null || amountPaise <= abovePaise) continue
    if (lowest === null || abovePaise < lowest.abovePaise) lowest = { layer, abovePaise }
  }
  return lowest
}
