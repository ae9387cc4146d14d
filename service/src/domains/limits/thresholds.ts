import type { PolicyLayer } from '@batua/contract'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { type Paise, rupees, rupeesText } from '../../kernel/money.ts'
import type { Controls, Layer } from './controls.ts'

/** An amount above which another way is asked for, and the layer that asks. */
export interface Threshold {
  readonly layer: PolicyLayer
  readonly abovePaise: Paise
}

/** The threshold above which the owner has to approve, when this amount is above one. */
export function approvalNeeded(layers: readonly Layer[], amountPaise: Paise): Threshold | null {
  return exceeded(layers, amountPaise, controls => controls.requireApprovalAbovePaise)
}

/** Above an escrow threshold a payment is refused, and told where it may go instead. */
export function decideEscrow(
  layers: readonly Layer[],
  amountPaise: Paise,
  maxAmountNow: Paise | null,
): Refusal | null {
  const threshold = exceeded(layers, amountPaise, controls => controls.requireEscrowAbovePaise)
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

/** The lowest threshold that the amount is above; of equals the more general layer's. */
function exceeded(
  layers: readonly Layer[],
  amountPaise: Paise,
  of: (controls: Controls) => Paise | null,
): Threshold | null {
  let lowest: Threshold | null = null
  for (const { layer, controls } of layers) {
    const abovePaise = of(controls)
    if (abovePaise === null || amountPaise <= abovePaise) continue
    if (lowest === null || abovePaise < lowest.abovePaise) lowest = { layer, abovePaise }
  }
  return lowest
}
