import { ANY_PAYEE, eachControl, type Policy, type policyControlsIn } from '@batua/contract'
import type { Static, TObject } from 'typebox'
import { type Refusal, refuse } from '../../kernel/app-error.ts'
import { kindOf, type SpendPolicy } from './controls.ts'

/** The controls as a caller sets them: an absent control is unchanged, null clears it. */
export type PolicyChange = Static<TObject<typeof policyControlsIn>>

/** The policy after a change. The ids in payee lists need not exist: a list may name future and deactivated agents. */
export function decidePolicy(current: SpendPolicy, change: PolicyChange): Refusal | SpendPolicy {
  const allowed = change.allowed_payees
  const misplaced = allowed && allowed.length > 1 ? allowed.indexOf(ANY_PAYEE) : -1
  if (misplaced >= 0) {
    return refuse('validation_error', `"${ANY_PAYEE}" stands alone: it already allows every agent`, {
      field: `allowed_payees.${misplaced}`,
    })
  }
  return eachControl<SpendPolicy>(control => {
    const written = change[control]
    if (written === undefined) return current[control]
    const { open, stored } = kindOf(control)
    return written === null ? open : stored(written)
  })
}

/** The stricter value of each control. */
export function tighterOf(left: SpendPolicy, right: SpendPolicy): SpendPolicy {
  return eachControl<SpendPolicy>(control => kindOf(control).tighter(left[control], right[control]))
}

/** The controls as a response shows them, amounts in INR. */
export function policyRecord(policy: SpendPolicy): Policy {
  return eachControl<Policy>(control => kindOf(control).shown(policy[control]))
}
