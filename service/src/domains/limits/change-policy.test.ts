import { ANY_PAYEE, POLICY_CONTROLS, type PolicyControl } from '@batua/contract'
import { describe, expect, test } from 'vitest'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { applyDue, type Cooldown, changePolicy, type PolicyState, pendingRecord } from './change-policy.ts'
import { OPEN_POLICY } from './controls.ts'
import { type PolicyChange, policyRecord } from './spend-policy.ts'

const NOW = new Date('2026-11-20T06:30:00.000Z')
const DAY_MS = 86_400_000
const WAITS: Cooldown = { now: NOW, cooldownMs: DAY_MS, isFrozen: false }
const AT_ONCE: Cooldown = { now: NOW, cooldownMs: 0, isFrozen: false }
const TOMORROW = '2026-11-21T06:30:00.000Z'

const [ANN, BOB, CAT] = [1, 2, 3].map(() => formatId('agt', newUuid(NOW)))
const at = (ms: number, isFrozen = false) => ({ now: new Date(ms), isFrozen })
const OPEN: PolicyState = { policy: OPEN_POLICY, pending: [] }

/** The state after a change that must be accepted. */
function changed(state: PolicyState, change: PolicyChange, cooldown: Cooldown): PolicyState {
  const next = changePolicy(state, change, cooldown)
  if ('kind' in next) throw new Error(`refused: ${next.message}`)
  return next
}

/** The value of a control in force, and its pending value. */
function shown({ policy, pending }: PolicyState, control: PolicyControl) {
  return { holds: policyRecord(policy)[control], waits: pendingRecord(pending)[control]?.value }
}

const starting = (control: PolicyControl, value: unknown) => changed(OPEN, { [control]: value }, AT_ONCE)

type Case = [PolicyControl, what: string, before: unknown, wanted: unknown, atOnce: unknown]

const LIMITS = POLICY_CONTROLS.filter(
  control => control !== 'allowed_payees' && control !== 'blocked_payee_agents',
)

const LIMIT_CASES: Case[] = LIMITS.flatMap((control): Case[] => [
  [control, 'is set', null, 50, 50],
  [control, 'is lowered', 50, 49, 49],
  [control, 'is lowered to nothing', 50, 0, 0],
  [control, 'stays', 50, 50, 50],
  [control, 'is raised', 50, 51, 50],
  [control, 'is raised from nothing', 0, 1, 0],
  [control, 'is cleared', 50, null, 50],
  [control, 'of nothing is cleared', 0, null, 0],
  [control, 'that is not set is cleared', null, null, null],
])

const LIST_CASES: Case[] = [
  ['allowed_payees', 'is narrowed from all', null, [ANN], [ANN]],
  ['allowed_payees', 'is narrowed', [ANN, BOB], [BOB], [BOB]],
  ['allowed_payees', 'is narrowed to nobody', [ANN], [], []],
  ['allowed_payees', 'is written in another order', [ANN, BOB], [BOB, ANN], [BOB, ANN]],
  ['allowed_payees', 'is widened', [ANN], [ANN, BOB], [ANN]],
  ['allowed_payees', 'is exchanged', [ANN], [BOB], []],
  ['allowed_payees', 'does both', [ANN, BOB], [BOB, CAT], [BOB]],
  ['allowed_payees', 'is widened to all', [ANN], [ANY_PAYEE], [ANN]],
  ['allowed_payees', 'is cleared', [ANN], null, [ANN]],
  ['allowed_payees', 'that is open stays open', null, [ANY_PAYEE], [ANY_PAYEE]],
  ['blocked_payee_agents', 'gains one', [ANN], [ANN, BOB], [ANN, BOB]],
  ['blocked_payee_agents', 'loses one', [ANN, BOB], [ANN], [ANN, BOB]],
  ['blocked_payee_agents', 'does both', [ANN], [BOB], [BOB, ANN]],
  ['blocked_payee_agents', 'is written in another order', [ANN, BOB], [BOB, ANN], [BOB, ANN]],
  ['blocked_payee_agents', 'is emptied', [ANN], [], [ANN]],
  ['blocked_payee_agents', 'is cleared', [ANN], null, [ANN]],
]

const CASES = [...LIMIT_CASES, ...LIST_CASES]

/** A cleared list allows everybody or blocks nobody. */
function applied(control: PolicyControl, value: unknown): unknown {
  if (value !== null) return value
  return policyRecord(OPEN_POLICY)[control]
}

const sorted = (value: unknown) => (Array.isArray(value) ? value.toSorted() : value)

describe.each(CASES)('%s that %s', (control, _what, before, wanted, atOnce) => {
  const start = starting(control, before)
  const loosens = sorted(applied(control, wanted))?.toString() !== sorted(atOnce)?.toString()

  test('takes effect at once where it tightens, and waits for the cooldown where it loosens', () => {
    const next = shown(changed(start, { [control]: wanted }, WAITS), control)
    expect(sorted(next.holds)).toEqual(sorted(atOnce))
    expect(next.waits).toEqual(loosens ? wanted : undefined)
  })

  test('takes full effect at once if there is no cooldown', () => {
    const next = shown(changed(start, { [control]: wanted }, AT_ONCE), control)
    expect(next).toEqual({ holds: applied(control, wanted), waits: undefined })
  })

  test('takes full effect from the millisecond at which the cooldown ends', () => {
    const waiting = changed(start, { [control]: wanted }, WAITS)
    const due = NOW.getTime() + DAY_MS
    expect(applyDue(waiting, at(due - 1))).toEqual(waiting)
    const after = shown(applyDue(waiting, at(due)), control)
    expect(sorted(after.holds)).toEqual(sorted(applied(control, wanted)))
    expect(after.waits).toBeUndefined()
  })
})

describe('a pending change', () => {
  const raised = changed(starting('spend_limit_daily', 50), { spend_limit_daily: 80 }, WAITS)

  test('a pending change is shown with the moment at which it takes effect', () => {
    expect(pendingRecord(raised.pending)).toEqual({
      spend_limit_daily: { value: 80, effective_at: TOMORROW },
    })
  })

  test('a newer change of the same control replaces a pending change and waits for a full cooldown', () => {
    const later = { now: new Date(NOW.getTime() + 1_000), cooldownMs: DAY_MS, isFrozen: false }
    const next = changed(raised, { spend_limit_daily: 60 }, later)
    expect(pendingRecord(next.pending)).toEqual({
      spend_limit_daily: { value: 60, effective_at: '2026-11-21T06:30:01.000Z' },
    })
  })

  test.each([
    ['tightens the limit', 40, 40],
    ['sets the present value', 50, 50],
  ])('a newer change that %s removes the pending change', (_what, value, holds) => {
    const next = changed(raised, { spend_limit_daily: value }, WAITS)
    expect(shown(next, 'spend_limit_daily')).toEqual({ holds, waits: undefined })
  })

  test('a newer change without a cooldown removes a pending change of the same control', () => {
    const next = changed(raised, { spend_limit_daily: 60 }, AT_ONCE)
    expect(shown(next, 'spend_limit_daily')).toEqual({ holds: 60, waits: undefined })
  })

  test('a change of one control does not affect pending changes of other controls', () => {
    const later = { now: new Date(NOW.getTime() + 1_000), cooldownMs: DAY_MS, isFrozen: false }
    const both = changed(starting('spend_limit_hourly', 10), { spend_limit_hourly: 20 }, later)
    const next: PolicyState = { ...both, pending: [...raised.pending, ...both.pending] }
    const after = applyDue(changed(next, { spend_limit_per_tx: 5 }, later), at(NOW.getTime() + DAY_MS))
    expect(policyRecord(after.policy)).toMatchObject({
      spend_limit_daily: 80,
      spend_limit_hourly: 10,
      spend_limit_per_tx: 5,
    })
    expect(pendingRecord(after.pending)).toEqual({
      spend_limit_hourly: { value: 20, effective_at: '2026-11-21T06:30:01.000Z' },
    })
  })
})

test('unblocked agents stay blocked during the cooldown, up to the maximum length of a list', () => {
  const many = (first: number) =>
    Array.from({ length: 600 }, (_, at) =>
      formatId('agt', `01890000-0000-7000-8000-${String(first + at).padStart(12, '0')}`),
    )
  const start = starting('blocked_payee_agents', many(0))
  expect(changePolicy(start, { blocked_payee_agents: many(600) }, WAITS)).toMatchObject({
    code: 'validation_error',
    field: 'blocked_payee_agents',
  })
  expect(
    changed(start, { blocked_payee_agents: many(600) }, AT_ONCE).policy.blocked_payee_agents,
  ).toHaveLength(600)
  expect(changed(start, { blocked_payee_agents: many(400) }, WAITS).policy.blocked_payee_agents).toHaveLength(
    1_000,
  )
})

test('a refused change changes nothing, not even the controls that would be accepted', () => {
  expect(
    changePolicy(OPEN, { spend_limit_daily: 5, allowed_payees: [ANY_PAYEE, ANN ?? ''] }, WAITS),
  ).toMatchObject({ code: 'validation_error', field: 'allowed_payees.0' })
})

describe('while the owner is frozen', () => {
  const FROZEN: Cooldown = { ...WAITS, isFrozen: true }
  const start = changed(starting('spend_limit_daily', 50), { spend_limit_daily: 80 }, WAITS)

  test.each([
    ['a raised limit', { spend_limit_daily: 51 }],
    ['a cleared limit', { spend_limit_daily: null }],
    ['the pending change, requested again', { spend_limit_daily: 80 }],
    ['a lower limit together with a raised one', { spend_limit_hourly: 1, spend_limit_daily: 51 }],
  ] satisfies [string, PolicyChange][])(
    'while the owner is frozen, %s is refused as a whole',
    (_what, change) => {
      expect(changePolicy(start, change, FROZEN)).toMatchObject({ kind: 'refusal', code: 'conflict' })
      expect(changePolicy(start, change, { ...FROZEN, cooldownMs: 0 })).toMatchObject({ code: 'conflict' })
    },
  )

  test('while the owner is frozen, a list that swaps entries is refused and a narrower list takes effect', () => {
    const listed = starting('allowed_payees', [ANN, BOB])
    expect(changePolicy(listed, { allowed_payees: [BOB ?? '', CAT ?? ''] }, FROZEN)).toMatchObject({
      code: 'conflict',
    })
    const narrowed = changed(listed, { allowed_payees: [BOB ?? ''] }, FROZEN)
    expect(shown(narrowed, 'allowed_payees')).toEqual({ holds: [BOB], waits: undefined })
  })

  test('while the owner is frozen, a lower limit takes effect at once and the present value cancels a pending one', () => {
    expect(shown(changed(start, { spend_limit_daily: 40 }, FROZEN), 'spend_limit_daily').holds).toBe(40)
    const cancelled = changed(start, { spend_limit_daily: 50 }, FROZEN)
    expect(shown(cancelled, 'spend_limit_daily')).toEqual({ holds: 50, waits: undefined })
  })

  test('no pending change takes effect while the owner is frozen, and all that are due do afterwards', () => {
    const due = NOW.getTime() + DAY_MS
    expect(applyDue(start, at(due, true))).toEqual(start)
    expect(shown(applyDue(start, at(due)), 'spend_limit_daily').holds).toBe(80)
  })
})
