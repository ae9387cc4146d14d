import { RISK_RULES, RISK_SEVERITIES, type RiskRuleName, type RiskSeverity } from '@batua/contract'
import { rupees } from '../../kernel/money.ts'

/**
 * Rules count at most this many transfers of one agent, newest first, so that an agent with a hundred thousand an hour
 * costs no more than one with five hundred. So a threshold above it could never be reached.
 */
export const MAX_COUNT = 500
/** The longest window of signals and scopes. */
export const MAX_WINDOW_MINUTES = 1_440

/** What a threshold measures, and so which numbers are valid. */
const KINDS = {
  count: { reads: `a whole number from 1 to ${MAX_COUNT}`, fits: within(1, MAX_COUNT) },
  agents: { reads: 'a whole number from 2 to 4', fits: within(2, 4) },
  percent: { reads: 'a whole number from 1 to 100', fits: within(1, 100) },
  minutes: { reads: `a whole number from 1 to ${MAX_WINDOW_MINUTES}`, fits: within(1, MAX_WINDOW_MINUTES) },
  hours: { reads: 'a whole number from 1 to 168', fits: within(1, 168) },
  paise: { reads: 'a whole number of paise above 0', fits: within(1, 1_000_000_000_000) },
  factor: { reads: 'a number above 0 and up to 1000', fits: (value: number) => value > 0 && value <= 1_000 },
} as const

type Kind = keyof typeof KINDS

function within(least: number, most: number): (value: number) => boolean {
  return value => Number.isInteger(value) && value >= least && value <= most
}

/** The thresholds of each rule; the table `risk_rules` stores them in snake_case. */
const THRESHOLDS = {
  velocity_spike: {
    minPayments: 'count',
    factor: 'factor',
    windowMinutes: 'minutes',
    baselineHours: 'hours',
  },
  structuring: { minPayments: 'count', bandPercent: 'percent', windowMinutes: 'minutes' },
  circular_flow: {
    maxAgents: 'agents',
    minAmountPaise: 'paise',
    legPercent: 'percent',
    windowMinutes: 'minutes',
  },
  new_payees: { minPayees: 'count', windowMinutes: 'minutes' },
  repeated_refusals: { minRefusals: 'count', windowMinutes: 'minutes' },
  failed_authentication: { minFailures: 'count', windowMinutes: 'minutes' },
  login_guessing: { minFailures: 'count', windowMinutes: 'minutes' },
  pass_through: {
    minTimes: 'count',
    minAmountPaise: 'paise',
    outPercent: 'percent',
    outMinutes: 'minutes',
    windowMinutes: 'minutes',
  },
} as const satisfies Record<RiskRuleName, Record<string, Kind>>

export type ThresholdsOf<Name extends RiskRuleName> = {
  readonly [Key in keyof (typeof THRESHOLDS)[Name]]: number
}

/** The thresholds of any rule, by name. */
export type AnyThresholds = Readonly<Record<string, number>>

/** A rule as it is in force. */
export interface RuleOf<Name extends RiskRuleName> {
  readonly rule: Name
  readonly description: string
  readonly enabled: boolean
  readonly severity: RiskSeverity
  readonly score: number
  readonly thresholds: ThresholdsOf<Name>
}

export type Rule = { [Name in RiskRuleName]: RuleOf<Name> }[RiskRuleName]

/** An invalid row: its rule is disabled until an operator corrects the row. */
export interface BrokenRule {
  readonly rule: RiskRuleName
  readonly description: string
  readonly problem: string
}

export type RuleSet = { readonly [Name in RiskRuleName]: RuleOf<Name> | BrokenRule }

/** A row of `risk_rules` as it was read, not validated yet. */
export interface RuleRow {
  readonly rule: string
  readonly enabled: boolean
  readonly severity: string
  readonly score: number
  readonly thresholds: unknown
  readonly description: string
}

export function isBroken(rule: Rule | BrokenRule): rule is BrokenRule {
  return 'problem' in rule
}

/** The rule if it is valid and enabled, else null. */
export function inForce<Name extends RiskRuleName>(rules: RuleSet, name: Name): RuleOf<Name> | null {
  const rule: RuleOf<Name> | BrokenRule = rules[name]
  return 'problem' in rule || !rule.enabled ? null : rule
}

/** Every rule by its row. An invalid row disables only its own rule. */
export function readRules(rows: readonly RuleRow[]): RuleSet {
  const read = RISK_RULES.map(name => [
    name,
    readRule(
      name,
      rows.find(row => row.rule === name),
    ),
  ])
  return Object.fromEntries(read) as RuleSet
}

function readRule(name: RiskRuleName, row: RuleRow | undefined): Rule | BrokenRule {
  if (row === undefined) return { rule: name, description: '', problem: 'risk_rules has no row of this rule' }
  const problem = problemOf(name, row)
  if (problem !== null) return { rule: name, description: row.description, problem }
  const given = row.thresholds as Record<string, number>
  const keys = Object.keys(THRESHOLDS[name])
  // problemOf checked every threshold.
  return {
    ...row,
    rule: name,
    thresholds: Object.fromEntries(keys.map(key => [key, given[columnOf(key)]])),
  } as unknown as Rule
}

function problemOf(name: RiskRuleName, { severity, score, thresholds }: RuleRow): string | null {
  if (!RISK_SEVERITIES.some(known => known === severity)) return 'severity must be low, medium or high'
  if (!within(0, 100)(score)) return 'score must be a whole number from 0 to 100'
  if (typeof thresholds !== 'object' || thresholds === null || Array.isArray(thresholds)) {
    return 'thresholds must be an object'
  }
  const given = new Map<string, unknown>(Object.entries(thresholds))
  for (const [key, kind] of Object.entries<Kind>(THRESHOLDS[name])) {
    const value = given.get(columnOf(key))
    const { reads, fits } = KINDS[kind]
    if (typeof value !== 'number' || !fits(value)) return `${columnOf(key)} must be ${reads}`
    given.delete(columnOf(key))
  }
  // Otherwise an operator could misspell a threshold and believe that it was changed.
  const [unknown] = given.keys()
  return unknown === undefined ? null : `${unknown} is no threshold of this rule`
}

function columnOf(key: string): string {
  return key.replaceAll(/[A-Z]/g, letter => `_${letter.toLowerCase()}`)
}

/** Thresholds as responses show them: amounts in INR, without the unit in their names. */
export function thresholdsRecord(thresholds: AnyThresholds): Record<string, number> {
  const entries = Object.entries(thresholds).map(([key, value]) =>
    key.endsWith('Paise')
      ? [columnOf(key.slice(0, -'Paise'.length)), rupees(BigInt(value))]
      : [columnOf(key), value],
  )
  return Object.fromEntries(entries)
}
