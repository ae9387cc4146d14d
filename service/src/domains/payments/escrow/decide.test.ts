import { AGENT_STATUSES, type AgentStatus } from '@batua/contract'
import { describe, expect, test } from 'vitest'
import type { Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import { testAccount } from '../../../testing/accounts.ts'
import { agentFacts, layerWith } from '../../../testing/decision-facts.ts'
import type { AgentFacts } from '../../limits/agent-facts.ts'
import type { SpendPolicy } from '../../limits/controls.ts'
import {
  decideAttestation,
  decideHeld,
  decideHold,
  decideRelease,
  dueAction,
  type HoldFacts,
  type NamedAgent,
  proveKey,
} from './decide.ts'
import { type Escrow, meantFor } from './escrow.ts'

const [PAYER, PAYEE, OTHER] = ['0001', '0002', '0003'].map(
  end => `01890000-0000-7000-8000-00000000${end}`,
) as [Uuid, Uuid, Uuid]
const NOON = new Date('2026-11-20T06:30:00.000Z')

function agent(id: Uuid, status: AgentStatus = 'active', controls: Partial<SpendPolicy> = {}): AgentFacts {
  return agentFacts(id, { status, keyHash: hashSecret(id), layers: [layerWith('agent', controls)] })
}

const to = (facts: AgentFacts | undefined): NamedAgent => ({ field: 'to_agent_id', agent: facts })
const by = (facts: AgentFacts | undefined): NamedAgent => ({ field: 'attestor_agent_id', agent: facts })

function holdFacts(more: Partial<HoldFacts> = {}): HoldFacts {
  return {
    by: 'requester',
    payer: agent(PAYER),
    payerAccount: testAccount(PAYER, NOON.getTime(), { balancePaise: paise(10_000n) }),
    named: [],
    amountPaise: paise(1_000n),
    checkLimits: () => null,
    ...more,
  }
}

const HELD: Escrow = {
  ...{ agentId: PAYER, id: '01890000-0000-7000-8000-0000000000ee', toAgentId: null, attestorId: null },
  ...{ amountPaise: paise(1_000n), reference: null, status: 'held', autoAction: null, expiresAt: null },
  ...{ releasedTo: null, createdAt: NOON, resolvedAt: null, holdSequence: 1n, nextTryAt: null, appId: null },
}

describe('a hold', () => {
  test('passes when no rule refuses', () => {
    expect(decideHold(holdFacts())).toEqual({ kind: 'proceed' })
    expect(decideHold(holdFacts({ named: [to(agent(PAYEE)), by(agent(OTHER))] }))).toEqual({
      kind: 'proceed',
    })
  })

  test('is refused for the first reason in the order of payments', () => {
    const everything: Partial<HoldFacts> = {
      payer: agent(PAYER, 'paused', { blocked_payee_agents: [PAYEE] }),
      named: [to(agent(PAYEE, 'frozen'))],
      checkLimits: () => ({ kind: 'refusal', code: 'spend_limit_exceeded', message: '' }),
      amountPaise: paise(10_001n),
    }
    const codes = []
    const ladder: Partial<HoldFacts>[] = [
      {},
      { payer: agent(PAYER, 'active', { blocked_payee_agents: [PAYEE] }) },
      { named: [to(agent(PAYEE))] },
      { payer: agent(PAYER) },
      { checkLimits: () => null },
      { amountPaise: paise(10_000n) },
    ]
    let facts = holdFacts(everything)
    for (const step of ladder) {
      facts = { ...facts, ...step }
      const plan = decideHold(facts)
      codes.push(plan.kind === 'refusal' ? plan.code : plan.kind)
    }
    expect(codes).toEqual([
      ...['policy_denied', 'validation_error', 'authorization_error', 'spend_limit_exceeded'],
      ...['insufficient_balance', 'proceed'],
    ])
  })

  test('needs approval above the threshold, and no second one when the owner has approved', () => {
    const facts = holdFacts({ payer: agent(PAYER, 'active', { require_human_approval_above: paise(999n) }) })
    expect(decideHold(facts)).toMatchObject({ kind: 'needs_approval', layer: 'agent' })
    expect(decideHold({ ...facts, by: 'owner' })).toEqual({ kind: 'proceed' })
  })

  test.each(AGENT_STATUSES)('of a payer that is %s depends on that state alone', status => {
    const plan = decideHold(holdFacts({ payer: agent(PAYER, status) }))
    if (status === 'active') expect(plan.kind).toBe('proceed')
    else expect(plan).toMatchObject({ code: 'policy_denied', message: `Agent is ${status}` })
  })

  test('names the field of the agent that cannot take part', () => {
    for (const named of [to, by]) {
      const { field } = named(undefined)
      expect(decideHold(holdFacts({ named: [named(undefined)] }))).toMatchObject({ code: 'not_found', field })
      for (const wrong of [agent(PAYER), agent(PAYEE, 'paused')]) {
        expect(decideHold(holdFacts({ named: [named(wrong)] }))).toMatchObject({
          ...{ code: 'validation_error', field },
        })
      }
    }
  })

  test('checks the payee lists only for the agent that the money is meant for', () => {
    const payer = agent(PAYER, 'active', { allowed_payees: [PAYEE] })
    const plan = (named: NamedAgent[]) => decideHold(holdFacts({ payer, named })).kind
    expect(plan([to(agent(PAYEE)), by(agent(OTHER))])).toBe('proceed')
    expect(plan([by(agent(OTHER))])).toBe('refusal')
    expect(plan([])).toBe('proceed')
  })
})

test('a second call to end an escrow gets how it ended', () => {
  expect(decideHeld(HELD)).toBe(HELD)
  for (const status of ['released', 'refunded'] as const) {
    expect(decideHeld({ ...HELD, status })).toMatchObject({ code: 'conflict', details: { status } })
  }
  expect(decideHeld(undefined)).toMatchObject({ code: 'not_found' })
})

describe('a release', () => {
  const release = (payee: AgentFacts | undefined, payer = agent(PAYER), escrow = HELD) =>
    decideRelease({ escrow, payer, payee })

  test.each(AGENT_STATUSES)(
    'for a payer that is %s is refused only where the payer’s money is blocked',
    status => {
      const refused = release(agent(PAYEE), agent(PAYER, status))
      const stays = status === 'frozen' || status === 'quarantined'
      expect(refused?.message ?? null).toBe(stays ? `Agent is ${status}` : null)
    },
  )

  test.each(AGENT_STATUSES)(
    'to a payee that is %s is refused only where the payee cannot receive money',
    status => {
      const refused = release(agent(PAYEE, status))
      const receives = status === 'active' || status === 'quarantined'
      expect(refused?.code ?? null).toBe(receives ? null : 'validation_error')
    },
  )

  test('to an agent other than the named one is a conflict, even if that agent could not receive', () => {
    const bound = { ...HELD, toAgentId: PAYEE }
    for (const status of ['active', 'paused'] as const) {
      expect(release(agent(OTHER, status), agent(PAYER), bound)).toMatchObject({ code: 'conflict' })
    }
    expect(release(agent(PAYEE), agent(PAYER), bound)).toBeNull()
    expect(release(agent(OTHER), agent(PAYER), { ...HELD, attestorId: PAYEE })).toBeNull()
  })

  test('to the payer is a validation_error and to a missing agent not_found', () => {
    expect(release(agent(PAYER))).toMatchObject({ code: 'validation_error', field: 'to_agent_id' })
    expect(release(undefined)).toMatchObject({ code: 'not_found', field: 'to_agent_id' })
  })
})

test('an attestor must present its key and be active', () => {
  expect(proveKey(agent(OTHER), hashSecret(OTHER))).toBeNull()
  expect(proveKey(agent(OTHER), hashSecret(PAYEE))).toMatchObject({ code: 'authentication_error' })
  expect(proveKey(undefined, hashSecret(OTHER))).toMatchObject({ code: 'authentication_error' })
  const release = { escrow: HELD, payer: agent(PAYER), payee: agent(PAYEE) }
  expect(decideAttestation(release, agent(OTHER))).toBeNull()
  for (const status of AGENT_STATUSES.filter(each => each !== 'active')) {
    expect(decideAttestation(release, agent(OTHER, status))).toMatchObject({ code: 'policy_denied' })
  }
})

test('the refusal of an attestation names no field, because the request has none', () => {
  const refused = decideAttestation(
    { escrow: HELD, payer: agent(PAYER), payee: agent(PAYEE, 'paused') },
    agent(OTHER),
  )
  expect(refused).toMatchObject({ code: 'validation_error' })
  expect(refused).not.toHaveProperty('field')
})

test('a timeout releases only where the hold says so and there is a recipient', () => {
  expect(dueAction({ ...HELD, autoAction: 'refund', toAgentId: PAYEE })).toEqual({ kind: 'refund' })
  expect(dueAction({ ...HELD, autoAction: 'release' })).toEqual({ kind: 'refund' })
  const released = { kind: 'release', payeeId: PAYEE }
  expect(dueAction({ ...HELD, autoAction: 'release', toAgentId: PAYEE })).toEqual(released)
})

test('money is meant for the recipient, else for the attestor, else for no agent yet', () => {
  expect(meantFor({ toAgentId: PAYEE, attestorId: OTHER })).toBe(PAYEE)
  expect(meantFor({ toAgentId: null, attestorId: OTHER })).toBe(OTHER)
  expect(meantFor({ toAgentId: null, attestorId: null })).toBeNull()
})
