import { isDeepStrictEqual } from 'node:util'
import { POLICY_CONTROLS } from '@batua/contract'
import { type Facts, service } from '../../operations/act.ts'
import { type PolicyState, pendingRecord } from './change-policy.ts'
import { policyRecord } from './spend-policy.ts'

/** Changes that waited are applied in nobody's name, whoever comes by when their time has come. */
export const LIMIT_INCREASES = service('limit increases')

/**
 * What an act made of a policy, as the audit log tells it: each control that changed and, where they changed, the
 * changes that wait for the cooldown, before and after. null when all is as it was: then there was no act.
 */
export function policyFacts(before: PolicyState, after: PolicyState): Facts | null {
  const [was, is] = [policyRecord(before.policy), policyRecord(after.policy)]
  const controls = Object.fromEntries(
    POLICY_CONTROLS.filter(control => !isDeepStrictEqual(was[control], is[control])).map(control => [
      control,
      { from: was[control], to: is[control] },
    ]),
  )
  const waiting = { from: pendingRecord(before.pending), to: pendingRecord(after.pending) }
  const waits = !isDeepStrictEqual(waiting.from, waiting.to)
  if (!waits && Object.keys(controls).length === 0) return null
  return { controls, ...(waits && { waiting }) }
}
