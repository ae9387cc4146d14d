import { type Static, type TOptional, type TSchema, type TString, type TUnsafe, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { exampleId, TYPEID_SUFFIX } from './ids.ts'
import {
  CONTROLS,
  eachControl,
  POLICY_CONTROLS,
  type PolicyControl,
  type UnitOf,
  unitOf,
} from './policy-controls.ts'
import { describe, nullable, oneOf, response } from './schema.ts'

/** The policy layers, from the most general; of equal limits the first is named (contract section 1). */
export const POLICY_LAYERS = ['tier', 'owner', 'org', 'agent'] as const

export type PolicyLayer = (typeof POLICY_LAYERS)[number]

/** The layers that limit a payment: those of the policy, and the cap of the connected app that pays (contract section 12). */
export const LIMIT_LAYERS = [...POLICY_LAYERS, 'app'] as const

export type LimitLayer = (typeof LIMIT_LAYERS)[number]

/** The entry of `allowed_payees` that means any active agent. */
export const ANY_PAYEE = 'network'

/** The maximum number of entries of each payee list. */
export const MAX_PAYEE_LIST = 1000

const AGENT = `agt_${TYPEID_SUFFIX}`

/** The value of a control as it is written; 0 allows nothing. */
type Written<Control extends PolicyControl> = {
  inr: number
  recipients: number
  agents: string[]
}[UnitOf<Control>]

/** The value of a control in a response; null: none is set. */
type Shown<Control extends PolicyControl> = {
  inr: number | null
  recipients: number | null
  agents: string[]
}[UnitOf<Control>]

const INR = { minimum: 0, maximum: MAX_AMOUNT_INR, format: 'inr', examples: [5000] }
const COUNT = { minimum: 0, maximum: 1_000_000, examples: [20] }

/** The schema of a control's value when it is set (contract section 5). */
function valueIn(control: PolicyControl): TSchema {
  const { kind, description } = CONTROLS[control]
  switch (unitOf(control)) {
    case 'inr':
      return Type.Number({ ...INR, description })
    case 'recipients':
      return Type.Integer({ ...COUNT, description })
    case 'agents':
      return kind === 'allowed_payees'
        ? payeeList(`^(?:${ANY_PAYEE}|${AGENT})$`, description, ANY_PAYEE)
        : payeeList(`^${AGENT}$`, description, exampleId('agt', 9))
  }
}

function payeeList(pattern: string, description: string, example: string): TSchema {
  const entry = Type.String({ pattern })
  return Type.Array(entry, {
    maxItems: MAX_PAYEE_LIST,
    uniqueItems: true,
    description,
    examples: [[example]],
  })
}

/** The schema of a control in a response. */
function valueOut(control: PolicyControl): TSchema {
  const { description } = CONTROLS[control]
  switch (unitOf(control)) {
    case 'inr':
      return nullable(amountOut(description))
    case 'recipients':
      return nullable(Type.Integer({ description }))
    case 'agents':
      return Type.Array(Type.String(), { description })
  }
}

/** A schema for every control; the type says what the schemas above accept. */
function schemas<Types extends Record<PolicyControl, TSchema>>(
  of: (control: PolicyControl) => TSchema,
): Types {
  return eachControl<Record<PolicyControl, TSchema>>(of) as Types
}

/**
 * The controls as a caller sets them; spread into a request's properties. Absent leaves a control alone,
 * null clears it (a payee list then returns to its default), 0 allows nothing.
 */
export const policyControlsIn = schemas<{
  [Control in PolicyControl]: TOptional<TUnsafe<Written<Control> | null>>
}>(control => Type.Optional(nullable(valueIn(control))))

/** A policy for the examples of records that contain one. */
export const examplePolicy = {
  ...eachControl<Record<PolicyControl, null>>(() => null),
  ...{ spend_limit_per_tx: 500, spend_limit_daily: 5000, spend_limit_monthly: 50000 },
  ...{ max_counterparties_per_hour: 20, allowed_payees: [ANY_PAYEE], blocked_payee_agents: [] },
}

/** The controls in a response: null where none is set; the payee lists are never null. Amounts in INR. */
export const Policy = response(
  schemas<{
    [Control in PolicyControl]: TUnsafe<Shown<Control>>
  }>(valueOut),
  {
    title: 'Policy',
    description: 'The spend policy controls. null: no limit in this layer; 0: nothing is allowed.',
    examples: [examplePolicy],
  },
)
export type Policy = Static<typeof Policy>

function pending(control: PolicyControl): TSchema {
  return Type.Optional(
    response(
      {
        value: describe(nullable(valueIn(control)), 'The new value; null clears the control.'),
        effective_at: timestamp('When it takes effect.'),
      },
      { description: 'A change of this control that waits for the cooldown.' },
    ),
  )
}

/** Changes that loosen the policy and wait for the cooldown, by control; `{}` if none waits (contract section 5). */
export const PendingPolicy = response(
  schemas<{
    [Control in PolicyControl]: TOptional<TUnsafe<{ value: Written<Control> | null; effective_at: string }>>
  }>(pending),
  {
    title: 'PendingPolicy',
    description: 'Policy changes that have not taken effect yet; empty if there are none.',
    examples: [{}, { spend_limit_daily: { value: 20000, effective_at: EXAMPLE_TIME } }],
  },
)
export type PendingPolicy = Static<typeof PendingPolicy>

/** The further fields of the response to a policy change (contract section 12). */
export const policyWarnings = {
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Only if a change of a payee list leaves agents without an allowed payee: which agents, and until when. A deactivated payee does not count. The change still applies.',
      examples: [
        [
          `${exampleId('agt')} can pay nobody until ${EXAMPLE_TIME}: until then no agent that can be paid is allowed by all payee lists in force`,
        ],
      ],
    }),
  ),
}

export const EXAMPLE_POLICY_VERSION = '8tQn0Zk5T1yJb3wXcR2m7A'

/** The name of an effective policy, opaque. The same policy has the same name. */
export function policyVersionOut(description: string): TString {
  return textOut(description, EXAMPLE_POLICY_VERSION)
}

/**
 * `error.details` of a refusal by a limit (`spend_limit_exceeded`; contract section 1, Errors).
 * Amounts in INR; for `max_counterparties_per_hour` the three figures are counts of recipients.
 */
export const PolicyRefusal = response(
  {
    rule: oneOf([...POLICY_CONTROLS, 'budget_limit'], 'The control that refused.'),
    layer: oneOf(
      LIMIT_LAYERS,
      'The layer that it belongs to; `app`: the cap of the connected app that asks.',
    ),
    limit: amountOut('The limit.'),
    used: amountOut('How much of it is used in the current window; 0 for per-payment limits.'),
    remaining: amountOut('What is left of it.'),
    max_amount_now: amountOut(
      'The greatest amount that every limit would allow now, regardless of the balance. INR.',
    ),
    retry_at: Type.Optional(timestamp('When the same payment would pass. Absent if waiting does not help.')),
    policy_version: policyVersionOut('The effective policy that refused.'),
  },
  {
    title: 'PolicyRefusal',
    description: 'The details of a refusal by a limit.',
    examples: [
      {
        rule: 'spend_limit_daily',
        layer: 'agent',
        limit: 5000,
        used: 4800,
        remaining: 200,
        max_amount_now: 200,
        retry_at: '2026-11-20T18:30:00.000Z',
        policy_version: EXAMPLE_POLICY_VERSION,
      },
    ],
  },
)
export type PolicyRefusal = Static<typeof PolicyRefusal>
