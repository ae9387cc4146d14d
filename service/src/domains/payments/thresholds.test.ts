import type { PolicyLayer } from '@batua/contract'
import { describe, expect, test } from 'vitest'
import { refuse } from '../../kernel/app-error.ts'
import { formatId, newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { testAccount } from '../../testing/accounts.ts'
import { agentFacts, KEY_HASH } from '../../testing/decision-facts.ts'
import type { AgentFacts } from '../limits/agent-facts.ts'
import { OPEN_POLICY } from '../limits/controls.ts'
import { layerOf } from '../limits/layers.ts'
import { decidePayment, type Mandate, type PaymentFacts } from './decide.ts'
import { activeUse, type Use } from './idempotency.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')
const [PAYER, PAYEE, APPROVAL] = [1, 2, 3].map(() => newUuid(NOW)) as [string, string, string]
const AGENT: Mandate = { by: 'agent', keyHash: KEY_HASH, asksOwner: false }
const OWNER: Mandate = { by: 'owner' }
const DRY_RUN: Mandate = { by: 'dry run' }

type Thresholds = Partial<Record<PolicyLayer, bigint>>

function layersOf(thresholds: Thresholds): AgentFacts['layers'] {
  const layers = Object.entries(thresholds) as [PolicyLayer, bigint][]
  return layers.map(([layer, above]) =>
    layerOf(layer, { ...OPEN_POLICY, require_human_approval_above: paise(above) }),
  )
}

function facts(amount: bigint, thresholds: Thresholds, more: Partial<PaymentFacts> = {}): PaymentFacts {
  return {
    mandate: AGENT,
    payer: agentFacts(PAYER, { layers: layersOf(thresholds) }),
    payerAccount: testAccount(PAYER, NOW.getTime(), { balancePaise: paise(10_000_000n) }),
    payee: agentFacts(PAYEE),
    payeeAccount: testAccount(PAYEE, NOW.getTime()),
    amountPaise: paise(amount),
    keyUsed: null,
    sameReference: undefined,
    checkLimits: () => null,
    ...more,
  }
}

describe('a payment', () => {
  test.each<[bigint, Thresholds, string]>([
    [49_999n, { agent: 50_000n }, 'proceed'],
    [50_000n, { agent: 50_000n }, 'proceed'],
    [50_001n, { agent: 50_000n }, 'agent'],
    [1n, { agent: 0n }, 'agent'],
    [50_001n, {}, 'proceed'],
    [50_001n, { tier: 100_000n, owner: 50_000n, agent: 70_000n }, 'owner'],
    [50_001n, { tier: 50_000n, owner: 50_000n, agent: 50_000n }, 'tier'],
    [50_001n, { owner: 50_001n, agent: 50_000n }, 'agent'],
  ])('of %d paise under the thresholds %o results in: %s', (amount, thresholds, wanted) => {
    const plan = decidePayment(facts(amount, thresholds))
    expect(plan.kind === 'needs_approval' ? plan.layer : plan.kind).toBe(wanted)
  })

  test('above a threshold names the layer whose threshold requires approval', () => {
    expect(decidePayment(facts(50_001n, { agent: 50_000n }))).toEqual({
      kind: 'needs_approval',
      rule: 'require_human_approval_above',
      layer: 'agent',
      abovePaise: 50_000n,
    })
  })

  test('that would be refused is not sent for approval', () => {
    const short = { payerAccount: testAccount(PAYER, NOW.getTime(), { balancePaise: paise(50_250n) }) }
    const over = { checkLimits: () => refuse('spend_limit_exceeded', 'over the limit') }
    const escrow = { checkLimits: () => refuse('escrow_required', 'through escrow') }
    for (const [more, code] of [
      [short, 'insufficient_balance'],
      [over, 'spend_limit_exceeded'],
      [escrow, 'escrow_required'],
    ] as const) {
      expect(decidePayment(facts(50_001n, { agent: 50_000n }, more))).toMatchObject({ code })
    }
  })
})

describe('the authority of a payment:', () => {
  const rotated = { payer: agentFacts(PAYER, { keyHash: hashSecret('new') }) }

  test('an owner’s approval skips the threshold and the agent’s key, and checks everything else', () => {
    expect(decidePayment(facts(50_001n, { agent: 0n }, { mandate: OWNER }))).toMatchObject({
      kind: 'proceed',
    })
    expect(decidePayment(facts(50_001n, {}, { mandate: OWNER, ...rotated }))).toMatchObject({
      kind: 'proceed',
    })
    const paused = { payee: agentFacts(PAYEE, { status: 'paused' }) }
    expect(decidePayment(facts(1n, {}, { mandate: OWNER, ...paused }))).toMatchObject({
      code: 'validation_error',
    })
  })

  test('a dry run checks the approval threshold and needs no key', () => {
    const plan = decidePayment(facts(50_001n, { agent: 50_000n }, { mandate: DRY_RUN }))
    expect(plan).toMatchObject({ kind: 'needs_approval' })
    expect(decidePayment(facts(1n, {}, { mandate: DRY_RUN, ...rotated }))).toMatchObject({ kind: 'proceed' })
  })

  test('the agent needs its current key', () => {
    expect(decidePayment(facts(1n, {}, rotated))).toMatchObject({ code: 'authentication_error' })
  })
})

describe('a key or reference that waits with an approval', () => {
  const nowMs = NOW.getTime()
  const waiting = (expiresMs: number): Use => ({
    kind: 'approval',
    id: APPROVAL,
    expiresAt: new Date(expiresMs),
  })

  test('is used to the last millisecond before it expires', () => {
    expect(activeUse(waiting(nowMs + 1), nowMs)).toBeDefined()
    expect(activeUse(waiting(nowMs), nowMs)).toBeUndefined()
  })

  test('is free for that approval alone', () => {
    expect(activeUse(waiting(nowMs + 1), nowMs, APPROVAL)).toBeUndefined()
    expect(activeUse(waiting(nowMs + 1), nowMs, PAYEE)).toBeDefined()
    const paid: Use = { kind: 'payment', id: APPROVAL }
    expect(activeUse(paid, nowMs, APPROVAL)).toBe(paid)
  })

  test('names the approval, so that a client that lost the response recovers', () => {
    const approval_id = formatId('apr', APPROVAL)
    const details = { payment_id: null, approval_id, status: 'pending_approval' }
    expect(decidePayment(facts(1n, {}, { sameReference: waiting(nowMs) }))).toMatchObject({
      ...{ code: 'conflict', details },
    })
  })
})
