import type { AgentStatus } from '@batua/contract'
import { expect, test } from 'vitest'
import { istDay } from '../../../kernel/clock.ts'
import { paise, ZERO_PAISE } from '../../../kernel/money.ts'
import { agentFacts } from '../../../testing/decision-facts.ts'
import type { AgentFacts } from '../../limits/agent-facts.ts'
import type { Authorization } from './authorization.ts'
import { type CaptureFacts, decideCapture, decideOpenCount } from './decide.ts'
import { presentAt } from './present.ts'

const NOON_MS = Date.parse('2026-11-20T06:30:00.000Z')
const GRACE_MS = 600_000
const [PAYER, PAYEE] = ['01890000-0000-7000-8000-000000000001', '01890000-0000-7000-8000-000000000002']

const agent = (id: string, status: AgentStatus = 'active') => agentFacts(id, { status })

const OPEN: Authorization = {
  ...{ agentId: PAYER, id: '01890000-0000-7000-8000-0000000000aa', payeeId: PAYEE },
  ...{ amountPaise: paise(10_000n), feeReservedPaise: paise(100n), reference: null, voucherKey: null },
  ...{ createdAt: new Date(NOON_MS), expiresAt: new Date(NOON_MS + 3_600_000), holdSequence: 2n },
  ...{ status: 'open', capturedPaise: paise(4_000n), lastTransferId: null, capturesDay: 0, dayCaptures: 0 },
  ...{
    closingSince: null,
    closingBlockedMs: null,
    feePaise: ZERO_PAISE,
    closedAt: null,
    appId: null,
    nextTryAt: null,
  },
}

const CLOSING: Authorization = {
  ...OPEN,
  ...{ status: 'closing', closingSince: new Date(NOON_MS), closingBlockedMs: 0n },
}

const VOUCHED: Authorization = { ...OPEN, voucherKey: 'a key' }

interface Asked {
  readonly authorization?: Authorization
  readonly kind?: CaptureFacts['wanted']['kind']
  readonly amount: bigint
  readonly isFinal?: boolean
  readonly payer?: AgentFacts
  readonly payee?: AgentFacts
  readonly nowMs?: number
}

/** The amount that is captured, or the code of the refusal. */
function decided({ authorization = OPEN, kind = 'total', amount, isFinal = false, ...more }: Asked) {
  const { payer = agent(PAYER), payee = agent(PAYEE), nowMs = NOON_MS } = more
  const plan = decideCapture({
    ...{ authorization, payer, payee, isFinal, nowMs, wanted: { kind, paise: paise(amount) } },
    present: presentAt(authorization, payer, nowMs),
  })
  return plan.kind === 'refusal' ? plan.code : plan.amountPaise
}

const over = { authorization: CLOSING, nowMs: NOON_MS + GRACE_MS }
const frozen = agent(PAYER, 'frozen')
const full = { ...OPEN, capturesDay: istDay(new Date(NOON_MS)), dayCaptures: 10_000 }
const ended = { ...OPEN, status: 'closed' as const }

test.each<[what: string, asked: Asked, outcome: bigint | string]>([
  ['a total captures the difference to what was captured before', { amount: 5_000n }, 1_000n],
  ['an amount is captured in addition', { amount: 5_000n, kind: 'amount' }, 5_000n],
  ['the whole amount can be captured', { amount: 10_000n }, 6_000n],
  ['one paisa more than the whole amount is refused', { amount: 10_001n }, 'conflict'],
  ['an amount beyond the rest is refused', { amount: 6_001n, kind: 'amount' }, 'conflict'],
  ['a total that is captured moves nothing', { amount: 4_000n }, 0n],
  ['a lower total moves nothing', { amount: 1n }, 0n],
  [
    'a total that is captured moves nothing after the end either',
    { amount: 4_000n, authorization: ended },
    0n,
  ],
  ['a total that is captured moves nothing while the payer is frozen', { amount: 4_000n, payer: frozen }, 0n],
  ['a higher total after the end is refused', { amount: 4_001n, authorization: ended }, 'conflict'],
  ['less than 1 INR is refused', { amount: 4_099n }, 'validation_error'],
  ['a capture of 1 INR is allowed', { amount: 4_100n }, 100n],
  ['the last capture may be less than 1 INR', { amount: 4_001n, isFinal: true }, 1n],
  ['a capture while it is closing may be less than 1 INR', { amount: 4_001n, authorization: CLOSING }, 1n],
  [
    'a capture in the last millisecond of the grace is allowed',
    { ...over, amount: 5_000n, nowMs: over.nowMs - 1 },
    1_000n,
  ],
  ['a capture at the end of the grace is refused', { ...over, amount: 5_000n }, 'conflict'],
  ['a capture from a frozen payer is refused', { amount: 5_000n, payer: frozen }, 'policy_denied'],
  ['a capture from a paused payer is allowed', { amount: 5_000n, payer: agent(PAYER, 'paused') }, 1_000n],
  [
    'a quarantined payee cannot capture',
    { amount: 5_000n, payee: agent(PAYEE, 'quarantined') },
    'policy_denied',
  ],
  ['the 10,001st capture of a day is refused', { amount: 5_000n, authorization: full }, 'conflict'],
  [
    'the first capture of the next day is allowed',
    { amount: 5_000n, authorization: { ...full, capturesDay: 1 } },
    1_000n,
  ],
  [
    'an authorization with a voucher key requires a voucher',
    { amount: 5_000n, authorization: VOUCHED },
    'conflict',
  ],
  ['a voucher captures up to its total', { amount: 5_000n, kind: 'voucher', authorization: VOUCHED }, 1_000n],
  [
    'a voucher for an authorization without a key is refused',
    { amount: 5_000n, kind: 'voucher' },
    'conflict',
  ],
])('%s', (_what, asked, outcome) => {
  expect(decided(asked)).toBe(outcome)
})

test('an agent has at most 1,000 open authorizations', () => {
  expect(decideOpenCount(999)).toBeNull()
  expect(decideOpenCount(1_000)).toMatchObject({ code: 'conflict' })
})
