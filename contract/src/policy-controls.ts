/** The window of a limit. A tier's day is the last 24 hours, every other day is a calendar day (contract section 5). */
export const POLICY_WINDOWS = ['payment', 'last_hour', 'last_24_hours', 'ist_day', 'ist_month'] as const

export type PolicyWindow = (typeof POLICY_WINDOWS)[number]

/**
 * The kinds of controls. A kind says how a value is written, stored, shown and tightened, and how a payment is refused.
 * - `limit`: a sum or a number that payments use up. The ledger counts these combinations; another one must be counted
 *   there first.
 * - `threshold`: an amount above which a payment needs something else.
 * - `allowed_payees`, `blocked_payees`: lists of agents.
 */
type ControlKind =
  | { readonly kind: 'limit'; readonly measures: 'amount'; readonly window: PolicyWindow }
  | { readonly kind: 'limit'; readonly measures: 'amount_to_payee'; readonly window: 'ist_day' }
  | { readonly kind: 'limit'; readonly measures: 'payees'; readonly window: 'last_hour' }
  | { readonly kind: 'threshold' | 'allowed_payees' | 'blocked_payees' }

/** A control of spend policy. Schemas, columns, decisions, cooldown, headroom and `docs/policy.md` follow from it. */
export type PolicyControlDeclaration = ControlKind & {
  readonly description: string
  /** Set if a tier has a default for it: the name there, and what differs. */
  readonly tier?: { readonly name: string; readonly window?: PolicyWindow; readonly description?: string }
}

const declared = {
  spend_limit_per_tx: {
    kind: 'limit',
    measures: 'amount',
    window: 'payment',
    description: 'The maximum of one payment in INR, without its fee.',
    tier: { name: 'per_tx' },
  },
  spend_limit_hourly: {
    kind: 'limit',
    measures: 'amount',
    window: 'last_hour',
    description: 'The maximum in INR in any 60 minutes.',
  },
  spend_limit_daily: {
    kind: 'limit',
    measures: 'amount',
    window: 'ist_day',
    description: 'The maximum in INR in a calendar day in IST.',
    tier: { name: 'daily', window: 'last_24_hours', description: 'The maximum in INR in any 24 hours.' },
  },
  spend_limit_monthly: {
    kind: 'limit',
    measures: 'amount',
    window: 'ist_month',
    description: 'The maximum in INR in a calendar month in IST.',
    tier: { name: 'monthly' },
  },
  allowed_payees: {
    kind: 'allowed_payees',
    description:
      'The allowed payees: `["network"]` for any active agent, otherwise a list of agent ids; `[]` for none.',
  },
  blocked_payee_agents: {
    kind: 'blocked_payees',
    description: 'Agents that may not be paid, by their ids.',
  },
  per_counterparty_daily_limit: {
    kind: 'limit',
    measures: 'amount_to_payee',
    window: 'ist_day',
    description: 'The maximum in INR to one agent in a calendar day in IST.',
  },
  max_counterparties_per_hour: {
    kind: 'limit',
    measures: 'payees',
    window: 'last_hour',
    description: 'The maximum number of different payees in any 60 minutes.',
  },
  require_escrow_above: {
    kind: 'threshold',
    description: 'A payment above this amount in INR must use escrow.',
    tier: { name: 'escrow_above' },
  },
  require_human_approval_above: {
    kind: 'threshold',
    description: 'A payment above this amount in INR waits for the owner’s approval.',
    tier: { name: 'approval_above' },
  },
} as const satisfies Record<string, PolicyControlDeclaration>

type Declared = typeof declared

export type PolicyControl = keyof Declared

/** Every control of spend policy, in the interface's order (interface section 2). */
export const CONTROLS: {
  readonly [Control in PolicyControl]: PolicyControlDeclaration & Pick<Declared[Control], 'kind'>
} = declared

/** The names of the controls, in the interface's order. */
export const POLICY_CONTROLS: readonly PolicyControl[] = Object.keys(declared) as PolicyControl[]

/** The names of the controls of a kind. */
type ControlOf<Kind extends PolicyControlDeclaration['kind']> = {
  [Control in PolicyControl]: Declared[Control]['kind'] extends Kind ? Control : never
}[PolicyControl]

function controlsOf<Kind extends PolicyControlDeclaration['kind']>(kind: Kind): readonly ControlOf<Kind>[] {
  return POLICY_CONTROLS.filter((control): control is ControlOf<Kind> => CONTROLS[control].kind === kind)
}

/** The unit of a control's value: an amount, a number of recipients, or a list of agents. */
export type UnitOf<Control extends PolicyControl> = Declared[Control] extends { measures: 'payees' }
  ? 'recipients'
  : Declared[Control] extends { kind: 'limit' | 'threshold' }
    ? 'inr'
    : 'agents'

export function unitOf(control: PolicyControl): 'inr' | 'recipients' | 'agents' {
  const declaration = CONTROLS[control]
  switch (declaration.kind) {
    case 'limit':
      return declaration.measures === 'payees' ? 'recipients' : 'inr'
    case 'threshold':
      return 'inr'
    case 'allowed_payees':
    case 'blocked_payees':
      return 'agents'
  }
}

export type LimitControl = ControlOf<'limit'>

export const LIMIT_CONTROLS = controlsOf('limit')

export type ThresholdControl = ControlOf<'threshold'>

export const THRESHOLD_CONTROLS = controlsOf('threshold')

/** The controls that have a default in each tier. */
export type TierControl = {
  [Control in PolicyControl]: Declared[Control] extends { tier: object } ? Control : never
}[PolicyControl]

/** The name of a control's default in a tier. */
export type TierLimit = Declared[TierControl]['tier']['name']

/** The controls that have a default in each tier, with the name of the default. */
export const TIER_LIMITS = POLICY_CONTROLS.flatMap(control => {
  const { tier } = CONTROLS[control]
  return tier === undefined ? [] : [{ control: control as TierControl, name: tier.name as TierLimit }]
})

/** One value for every control, in the interface's order. */
export function eachControl<Values extends Readonly<Record<PolicyControl, unknown>>>(
  valueOf: (control: PolicyControl) => Values[PolicyControl],
): Values {
  return Object.fromEntries(POLICY_CONTROLS.map(control => [control, valueOf(control)])) as Values
}

/** One value for every default of a tier, by its name. */
export function eachTierLimit<Value>(
  valueOf: (control: TierControl, name: TierLimit) => Value,
): Record<TierLimit, Value> {
  const entries = TIER_LIMITS.map(({ control, name }) => [name, valueOf(control, name)])
  return Object.fromEntries(entries) as Record<TierLimit, Value>
}
