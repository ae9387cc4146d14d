import * as v from 'valibot'

/** Search parameters that several pages have. A wrong value is ignored, so that every address opens. */
export const offset = v.fallback(v.optional(v.pipe(v.number(), v.integer(), v.minValue(0))), undefined)

const oneOf = <const Values extends readonly [string, ...string[]]>(values: Values) =>
  v.fallback(v.optional(v.picklist(values)), undefined)

/** A day: `2026-11-20`. */
export const day = v.fallback(v.optional(v.pipe(v.string(), v.isoDate())), undefined)

/** A text that is searched, or a name that the service knows. */
export const line = v.fallback(
  v.optional(v.pipe(v.string(), v.trim(), v.minLength(1), v.maxLength(100))),
  undefined,
)

/** The sections of the page of one agent; the first is shown where the address names none. */
const SECTIONS = [
  'overview',
  'statement',
  'spending',
  'payees',
  'changes',
  'certificates',
  'audit',
  'key',
] as const

const MONEY_SECTIONS = ['balances', 'bank', 'account', 'transactions'] as const

export type MoneySection = (typeof MONEY_SECTIONS)[number]

const SAFETY_SECTIONS = ['login', 'apps', 'notifications'] as const

export type SafetySection = (typeof SAFETY_SECTIONS)[number]

const ORGANIZATION_SECTIONS = ['members', 'transactions'] as const

const REQUESTS_SECTIONS = ['requests', 'usage'] as const

/** Every section that an address can name. */
export type PageSection =
  | SectionName
  | MoneySection
  | SafetySection
  | (typeof ORGANIZATION_SECTIONS)[number]
  | (typeof REQUESTS_SECTIONS)[number]

export type SectionName = (typeof SECTIONS)[number]

/** Of the page of one agent. The type of a line alone is an address of its statement. */
export const agentSearch = v.pipe(
  v.object({
    section: oneOf(SECTIONS),
    type: oneOf(['pay_out', 'pay_in', 'fund', 'withdraw']),
    status: oneOf(['active', 'revoked', 'expired']),
    action: line,
    from: day,
    to: day,
    days: v.fallback(v.optional(v.picklist([7, 30, 90])), undefined),
    offset,
  }),
  v.transform(search =>
    search.section === undefined && search.type !== undefined
      ? { ...search, section: 'statement' as const }
      : search,
  ),
)

export const agentsSearch = v.object({
  status: v.fallback(v.optional(v.picklist(['active', 'paused', 'deactivated'])), undefined),
  offset,
})

/** Of the owner's money. */
export const moneySearch = v.object({
  section: oneOf(MONEY_SECTIONS),
  kind: oneOf(['withdraw', 'settlement']),
  agent: line,
  type: oneOf(['pay_out', 'pay_in', 'fund', 'withdraw', 'settlement', 'fee']),
  from: day,
  to: day,
  search: line,
  offset,
})

/** Of an owner's page Safety: the offset of the allowances, and that of the connected apps. */
export const safetySearch = v.object({ section: oneOf(SAFETY_SECTIONS), offset, apps: offset })

export const organizationSearch = v.object({ section: oneOf(ORGANIZATION_SECTIONS), offset })

/** Of a platform's requests. */
export const requestsSearch = v.object({
  section: oneOf(REQUESTS_SECTIONS),
  status: oneOf(['2xx', '4xx', '5xx']),
  path: v.fallback(v.optional(v.pipe(v.string(), v.minLength(1), v.maxLength(255))), undefined),
  offset,
})
