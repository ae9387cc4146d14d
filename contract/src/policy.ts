import { type Static, type TNumber, type TSchema, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, timestamp } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { exampleId, TYPEID_SUFFIX } from './ids.ts'
import { answer, describe, nullable, oneOf } from './schema.ts'

/** The ten spend policy controls, in the interface's order (interface section 2). */
export const POLICY_CONTROLS = [
  'spend_limit_per_tx',
  'spend_limit_hourly',
  'spend_limit_daily',
  'spend_limit_monthly',
  'allowed_payees',
  'blocked_payee_agents',
  'per_counterparty_daily_limit',
  'max_counterparties_per_hour',
  'require_escrow_above',
  'require_human_approval_above',
] as const

export type PolicyControl = (typeof POLICY_CONTROLS)[number]

/** The layers of policy, from the most general; on a tie the first is named (contract section 1). */
export const POLICY_LAYERS = ['tier', 'owner', 'org', 'agent'] as const

export type PolicyLayer = (typeof POLICY_LAYERS)[number]

/** The entry of `allowed_payees` that means any active agent. */
export const ANY_PAYEE = 'network'

/** The most entries of each payee list. */
export const MAX_PAYEE_LIST = 1000

function limitIn(description: string): TNumber {
  return Type.Number({ minimum: 0, maximum: MAX_AMOUNT_INR, format: 'inr', description, examples: [5000] })
}

function payeeList(pattern: string, description: string, example: string[]) {
  return Type.Array(Type.String({ pattern }), {
    maxItems: MAX_PAYEE_LIST,
    uniqueItems: true,
    description,
    examples: [example],
  })
}

const AGENT = `agt_${TYPEID_SUFFIX}`

/** The value of each control when it is set: amounts in INR, 0 meaning none at all (contract section 5). */
const controls = {
  spend_limit_per_tx: limitIn('Most INR in a single payment. Amounts count without fees.'),
  spend_limit_hourly: limitIn('Most INR in any rolling 60 minutes.'),
  spend_limit_daily: limitIn('Most INR in a calendar day in IST.'),
  spend_limit_monthly: limitIn('Most INR in a calendar month in IST.'),
  allowed_payees: payeeList(
    `^(?:${ANY_PAYEE}|${AGENT})$`,
    'Who may be paid: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for nobody.',
    [ANY_PAYEE],
  ),
  blocked_payee_agents: payeeList(`^${AGENT}$`, 'Agent ids that may never be paid.', [exampleId('agt', 9)]),
  per_counterparty_daily_limit: limitIn('Most INR to any single agent in a calendar day in IST.'),
  max_counterparties_per_hour: Type.Integer({
    minimum: 0,
    maximum: 1_000_000,
    description: 'Most different recipients in any rolling 60 minutes.',
    examples: [20],
  }),
  require_escrow_above: limitIn('A payment of more INR than this must go through escrow.'),
  require_human_approval_above: limitIn('A payment of more INR than this waits for the owner.'),
}

/**
 * The controls as a caller sets them; spread into a request's properties. Absent leaves a control alone,
 * null clears it (a payee list then returns to its default), 0 means none at all.
 */
export const policyControlsIn = {
  spend_limit_per_tx: Type.Optional(nullable(controls.spend_limit_per_tx)),
  spend_limit_hourly: Type.Optional(nullable(controls.spend_limit_hourly)),
  spend_limit_daily: Type.Optional(nullable(controls.spend_limit_daily)),
  spend_limit_monthly: Type.Optional(nullable(controls.spend_limit_monthly)),
  allowed_payees: Type.Optional(nullable(controls.allowed_payees)),
  blocked_payee_agents: Type.Optional(nullable(controls.blocked_payee_agents)),
  per_counterparty_daily_limit: Type.Optional(nullable(controls.per_counterparty_daily_limit)),
  max_counterparties_per_hour: Type.Optional(nullable(controls.max_counterparties_per_hour)),
  require_escrow_above: Type.Optional(nullable(controls.require_escrow_above)),
  require_human_approval_above: Type.Optional(nullable(controls.require_human_approval_above)),
}

function limitOut(description: string) {
  return nullable(amountOut(description))
}

/** A policy for the examples of records that hold one. */
export const examplePolicy = {
  spend_limit_per_tx: 500,
  spend_limit_hourly: null,
  spend_limit_daily: 5000,
  spend_limit_monthly: 50000,
  allowed_payees: [ANY_PAYEE],
  blocked_payee_agents: [],
  per_counterparty_daily_limit: null,
  max_counterparties_per_hour: 20,
  require_escrow_above: null,
  require_human_approval_above: null,
}

/** The ten controls in a response: null where none is set; the payee lists are never null. Amounts in INR. */
export const Policy = answer(
  {
    spend_limit_per_tx: limitOut('Most INR in a single payment.'),
    spend_limit_hourly: limitOut('Most INR in any rolling 60 minutes.'),
    spend_limit_daily: limitOut('Most INR in a calendar day in IST.'),
    spend_limit_monthly: limitOut('Most INR in a calendar month in IST.'),
    allowed_payees: Type.Array(Type.String(), {
      description: '`["network"]`, or the agent ids that may be paid.',
    }),
    blocked_payee_agents: Type.Array(Type.String(), { description: 'Agent ids that may never be paid.' }),
    per_counterparty_daily_limit: limitOut('Most INR to any single agent in a calendar day in IST.'),
    max_counterparties_per_hour: nullable(
      Type.Integer({ description: 'Most different recipients in any rolling 60 minutes.' }),
    ),
    require_escrow_above: limitOut('Payments of more INR than this must use escrow.'),
    require_human_approval_above: limitOut('Payments of more INR than this wait for the owner.'),
  },
  {
    title: 'Policy',
    description: 'The spend policy controls. null: no limit in this layer; 0: none at all.',
    examples: [examplePolicy],
  },
)
export type Policy = Static<typeof Policy>

function pending<Value extends TSchema>(value: Value) {
  return Type.Optional(
    answer(
      {
        value: describe(nullable(value), 'What the control becomes; null clears it.'),
        effective_at: timestamp('When it takes effect.'),
      },
      { description: 'A change of this control that waits for the cooldown.' },
    ),
  )
}

/** Changes that loosen the policy and wait for the cooldown, by control; `{}` when none waits (contract section 5). */
export const PendingPolicy = answer(
  {
    spend_limit_per_tx: pending(controls.spend_limit_per_tx),
    spend_limit_hourly: pending(controls.spend_limit_hourly),
    spend_limit_daily: pending(controls.spend_limit_daily),
    spend_limit_monthly: pending(controls.spend_limit_monthly),
    allowed_payees: pending(controls.allowed_payees),
    blocked_payee_agents: pending(controls.blocked_payee_agents),
    per_counterparty_daily_limit: pending(controls.per_counterparty_daily_limit),
    max_counterparties_per_hour: pending(controls.max_counterparties_per_hour),
    require_escrow_above: pending(controls.require_escrow_above),
    require_human_approval_above: pending(controls.require_human_approval_above),
  },
  {
    title: 'PendingPolicy',
    description: 'Policy changes that have not taken effect yet; empty when there are none.',
    examples: [{}, { spend_limit_daily: { value: 20000, effective_at: EXAMPLE_TIME } }],
  },
)
export type PendingPolicy = Static<typeof PendingPolicy>

/** The further fields of the response to a policy change (contract section 12). */
export const policyWarnings = {
  warnings: Type.Optional(
    Type.Array(Type.String(), {
      description:
        'Only after a change of a payee list that leaves nobody to pay: who can pay nobody, and until when. A deactivated payee is nobody to pay. The change holds all the same.',
      examples: [
        [
          `${exampleId('agt')} can pay nobody until ${EXAMPLE_TIME}: until then no agent that can be paid is allowed by all payee lists in force`,
        ],
      ],
    }),
  ),
}

/**
 * `error.details` of a refusal by a limit (`spend_limit_exceeded`; contract section 1, Errors).
 * Amounts in INR; for `max_counterparties_per_hour` the three figures are counts of recipients.
 */
export const PolicyRefusal = answer(
  {
    rule: oneOf([...POLICY_CONTROLS, 'budget_limit'], 'The control that refused.'),
    layer: oneOf(POLICY_LAYERS, 'The layer that it belongs to.'),
    limit: amountOut('The limit.'),
    used: amountOut('How much of it is used in the present window; 0 for per-payment limits.'),
    remaining: amountOut('What is left of it.'),
    max_amount_now: amountOut(
      'The greatest amount that every limit would allow now, whatever the balance. INR.',
    ),
    retry_at: Type.Optional(
      timestamp('When the same payment would pass. Absent when waiting does not help.'),
    ),
  },
  {
    title: 'PolicyRefusal',
    description: 'Everything needed to act on a refusal by a limit.',
    examples: [
      {
        rule: 'spend_limit_daily',
        layer: 'agent',
        limit: 5000,
        used: 4800,
        remaining: 200,
        max_amount_now: 200,
        retry_at: '2026-11-20T18:30:00.000Z',
      },
    ],
  },
)
export type PolicyRefusal = Static<typeof PolicyRefusal>
