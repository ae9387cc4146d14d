import { expect, test } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { type AgentStops, NEVER_STOPPED } from '../../limits/agent-facts.ts'
import type { Authorization } from './authorization.ts'
import { type PayerState, presentAt } from './present.ts'

const CREATED = Date.parse('2026-11-20T06:30:00.000Z')
const MINUTE = 60_000
const GRACE = 10 * MINUTE
const EXPIRES = CREATED + 60 * MINUTE

const open: Authorization = {
  ...{
    agentId: 'payer',
    id: 'id',
    payeeId: 'payee',
    amountPaise: paise(10_000n),
    feeReservedPaise: paise(100n),
  },
  ...{ reference: null, voucherKey: null, createdAt: new Date(CREATED), expiresAt: new Date(EXPIRES) },
  ...{ holdSequence: 2n, status: 'open', capturedPaise: ZERO_PAISE, lastTransferId: null, capturesDay: 0 },
  ...{ dayCaptures: 0, closingSince: null, closingBlockedMs: null, feePaise: ZERO_PAISE, closedAt: null },
  nextTryAt: new Date(EXPIRES),
  appId: null,
}

const closing = (sinceMs: number, blockedMs = 0): Authorization => ({
  ...open,
  ...{ status: 'closing', closingSince: new Date(sinceMs), closingBlockedMs: BigInt(blockedMs) },
})

const payer = (stops: Partial<AgentStops> = {}, status: PayerState['status'] = 'active'): PayerState => ({
  status,
  stops: { ...NEVER_STOPPED, ...stops },
})

test('an authorization is open until it expires, then closing during the grace, and ends to the millisecond', () => {
  const at = (ms: number) => {
    const { status, closesMs, isOver } = presentAt(open, payer(), ms)
    return { status, closesMs, isOver }
  }
  expect(at(EXPIRES - 1)).toEqual({ status: 'open', closesMs: null, isOver: false })
  const closes = { status: 'closing', closesMs: EXPIRES + GRACE }
  expect(at(EXPIRES)).toEqual({ ...closes, isOver: false })
  expect(at(EXPIRES + GRACE - 1)).toEqual({ ...closes, isOver: false })
  expect(at(EXPIRES + GRACE)).toEqual({ ...closes, isOver: true })
})

test('a pause or deactivation of the payer starts the closing at that moment, but a pause before the authorization does not', () => {
  const pausedMs = CREATED + MINUTE
  const closes = { status: 'closing', closesMs: pausedMs + GRACE }
  expect(presentAt(open, payer({ pausedMs }, 'paused'), pausedMs)).toMatchObject(closes)
  expect(presentAt(open, payer({ pausedMs }), pausedMs + MINUTE)).toMatchObject(closes)
  expect(presentAt(open, payer({ pausedMs: CREATED - 1 }), pausedMs)).toMatchObject({ status: 'open' })
  const ended = payer({ deactivatedMs: pausedMs }, 'deactivated')
  expect(presentAt(open, ended, pausedMs + MINUTE)).toMatchObject(closes)
})

test('the grace pauses while the payer is blocked, and then continues', () => {
  const began = CREATED + MINUTE
  const blockedSinceMs = began + 4 * MINUTE
  const frozen = payer({ blockedSinceMs }, 'frozen')
  expect(presentAt(closing(began), frozen, began + DAY_MS)).toMatchObject({ closesMs: null, isOver: false })
  const restored = payer({ blockedMs: DAY_MS })
  const closesMs = began + GRACE + DAY_MS
  expect(presentAt(closing(began), restored, closesMs - 1)).toMatchObject({ closesMs, isOver: false })
  expect(presentAt(closing(began), restored, closesMs)).toMatchObject({ closesMs, isOver: true })
})

test('a payer that is blocked at expiry has the whole grace afterwards, and earlier blocks do not count', () => {
  const blockedSinceMs = EXPIRES - MINUTE
  const frozen = payer({ blockedSinceMs, blockedMs: 5 * MINUTE }, 'frozen')
  const present = presentAt(open, frozen, EXPIRES + DAY_MS)
  expect(present).toMatchObject({ status: 'closing', closesMs: null, closing: { sinceMs: EXPIRES } })
  const written = closing(EXPIRES, present.closing?.blockedMs)
  const restoredMs = EXPIRES + 2 * DAY_MS
  const restored = payer({ blockedMs: 5 * MINUTE + restoredMs - blockedSinceMs })
  expect(presentAt(written, restored, restoredMs)).toMatchObject({ closesMs: restoredMs + GRACE })
})

test('the grace pauses for 90 days at most', () => {
  const frozen = payer({ blockedSinceMs: EXPIRES }, 'frozen')
  const endMs = EXPIRES + 90 * DAY_MS
  expect(presentAt(closing(EXPIRES), frozen, EXPIRES)).toMatchObject({ nextMs: endMs, isOver: false })
  expect(presentAt(closing(EXPIRES), frozen, endMs - 1)).toMatchObject({ isOver: false })
  expect(presentAt(closing(EXPIRES), frozen, endMs)).toMatchObject({ isOver: true })
})

test('an authorization that has ended does not change any more', () => {
  const ended = { ...open, status: 'closed' as const }
  expect(presentAt(ended, payer({}, 'frozen'), EXPIRES + DAY_MS)).toEqual({
    ...{ status: 'closed', closing: null, closesMs: null, isOver: false, nextMs: null },
  })
})
