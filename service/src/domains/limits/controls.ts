import {
  ANY_PAYEE,
  CONTROLS,
  eachControl,
  POLICY_CONTROLS,
  type PolicyControl,
  TIER_LIMITS,
  type Tier,
  type TierLimit,
  type UnitOf,
  unitOf,
} from '@batua/contract'
import { assert } from '../../kernel/assert.ts'
import { formatId, parseId } from '../../kernel/ids.ts'
import { type Paise, paiseFromRupees, rupees } from '../../kernel/money.ts'

/** The value of a control in the database: paise, a number of recipients, or the ids of agents. */
type StoredValue<Control extends PolicyControl> = {
  inr: Paise | null
  recipients: number | null
  agents: readonly string[]
}[UnitOf<Control>]

/**
 * The controls of an agent or owner as they are stored. null: this layer sets no limit; 0: nothing is allowed.
 * `allowed_payees` is `['network']` alone, or ids.
 */
export type SpendPolicy = { readonly [Control in PolicyControl]: StoredValue<Control> }

/** What a kind of control is in the database and on the wire, and when it is tighter. */
interface ControlKind<Stored, Written> {
  readonly columnSuffix: '_paise' | ''
  /** The value of a control that is not set or was cleared. */
  readonly open: Stored
  stored(written: Written): Stored
  shown(stored: Stored): Written | null
  /** The value that allows no more than either of the two. */
  tighter(left: Stored, right: Stored): Stored
}

const amount: ControlKind<Paise | null, number> = {
  columnSuffix: '_paise',
  open: null,
  stored(written) {
    const limit = paiseFromRupees(written)
    assert(limit !== null, 'the schema ensures that a limit has at most two decimals')
    return limit
  },
  shown: limit => (limit === null ? null : rupees(limit)),
  tighter: lower,
}

const count: ControlKind<number | null, number> = {
  columnSuffix: '',
  open: null,
  stored: written => written,
  shown: limit => limit,
  tighter: lower,
}

const allowedPayees: ControlKind<readonly string[], string[]> = {
  columnSuffix: '',
  open: [ANY_PAYEE],
  stored: written => written.map(storedPayee),
  shown: ids => ids.map(shownPayee),
  tighter(left, right) {
    if (left[0] === ANY_PAYEE) return right
    if (right[0] === ANY_PAYEE) return left
    const allowed = new Set(left)
    return right.filter(id => allowed.has(id))
  },
}

const blockedPayees: ControlKind<readonly string[], string[]> = {
  ...allowedPayees,
  open: [],
  tighter: (left, right) => [...new Set([...right, ...left])],
}

/** The lower of two limits, where null is none. */
export function lower<Limit extends bigint | number>(left: Limit | null, right: Limit | null): Limit | null {
  if (left === null) return right
  return right === null || left < right ? left : right
}

function storedPayee(written: string): string {
  if (written === ANY_PAYEE) return ANY_PAYEE
  const id = parseId('agt', written)
  assert(id !== null, 'the schema ensures that a payee is an agent id')
  return id
}

function shownPayee(id: string): string {
  return id === ANY_PAYEE ? id : formatId('agt', id)
}

type Stored = SpendPolicy[PolicyControl]
type Written = number | string[]

export function kindOf(control: PolicyControl): ControlKind<Stored, Written> {
  switch (unitOf(control)) {
    case 'inr':
      return amount
    case 'recipients':
      return count
    case 'agents':
      return CONTROLS[control].kind === 'allowed_payees' ? allowedPayees : blockedPayees
  }
}

/** The policy of a layer that sets nothing. */
export const OPEN_POLICY = eachControl<SpendPolicy>(control => kindOf(control).open)

/** The columns of the controls, the same in `agents` and `owner_policies`, in the order of `policyValues`. */
export const POLICY_COLUMNS: readonly string[] = POLICY_CONTROLS.map(columnOf)

function columnOf(control: PolicyControl): string {
  return control + kindOf(control).columnSuffix
}

/** Selects the controls by their names, from the columns of a table. */
export function selectControls(table: string, prefix = ''): string {
  return POLICY_CONTROLS.map(control => `${table}.${columnOf(control)} as ${prefix}${control}`).join(', ')
}

/** The controls of a row that `selectControls` selected, without its other columns. */
export function policyOf(row: SpendPolicy): SpendPolicy {
  return eachControl(control => row[control])
}

export function policyValues(policy: SpendPolicy): unknown[] {
  return POLICY_CONTROLS.map(control => policy[control])
}

/** The limits of a tier for each of its agents, by their names there. */
export type TierLimits = { readonly tier: Tier } & Readonly<Record<TierLimit, Paise>>

/** Selects the limits by their names, from the columns of `tier_defaults`. */
export function selectTierLimits(table: string): string {
  return [`${table}.tier`, ...TIER_LIMITS.map(({ name }) => `${table}.${name}_paise as ${name}`)].join(', ')
}

/** The limits of a row that `selectTierLimits` selected, in the order of `TIER_COLUMNS`. */
export function tierValues(limits: TierLimits): Paise[] {
  return TIER_LIMITS.map(({ name }) => limits[name])
}

export const TIER_COLUMNS: readonly string[] = TIER_LIMITS.map(({ name }) => `${name}_paise`)

/** The limits of a tier as a policy. */
export function policyOfTier(limits: TierLimits): SpendPolicy {
  const set = TIER_LIMITS.map(({ control, name }) => [control, limits[name]])
  return { ...OPEN_POLICY, ...Object.fromEntries(set) }
}
