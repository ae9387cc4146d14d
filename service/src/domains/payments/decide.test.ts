import { AGENT_STATUSES, type AgentStatus } from '@batua/contract'
import { describe, expect, test } from 'vitest'
import { refuse } from '../../kernel/app-error.ts'
import { newUuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { testAccount } from '../../testing/accounts.ts'
import { agentFacts, KEY_HASH } from '../../testing/decision-facts.ts'
import type { AgentFacts } from '../limits/agent-facts.ts'
import { OPEN_POLICY } from '../limits/controls.ts'
import { layerOf } from '../limits/layers.ts'
import { canReceive, decidePayment, decideSender, type PaymentFacts } from './decide.ts'

const NOW = new Date('2026-11-20T10:00:00.000Z')
const [PAYER, PAYEE, FIRST] = [1, 2, 3].map(() => newUuid(NOW)) as [string, string, string]

const blocking: AgentFacts['layers'] = [layerOf('agent', { ...OPEN_POLICY, blocked_payee_agents: [PAYEE] })]

/** No rule refuses: 400 INR with a fee of 2 out of exactly 402. */
const GOOD: PaymentFacts = {
  payer: agentFacts(PAYER),
  payerAccount: testAccount(PAYER, NOW.getTime(), { balancePaise: paise(40_200n) }),
  payee: agentFacts(PAYEE),
  payeeAccount: testAccount(PAYEE, NOW.getTime()),
  mandate: { by: 'agent', keyHash: KEY_HASH, asksOwner: false },
  amountPaise: paise(40_000n),
  keyUsed: null,
  sameReference: undefined,
  checkLimits: () => null,
}

const USED = refuse('idempotency_error', 'used')

interface Rung {
  readonly name: string
  readonly code: string
  readonly break: (facts: PaymentFacts) => PaymentFacts
}

/** The rules in the contract's order; each break keeps the breaks of the later rules. */
const LADDER: readonly Rung[] = [
  {
    name: 'a key that is no longer the agent’s',
    code: 'authentication_error',
    break: facts => ({ ...facts, mandate: { by: 'agent', keyHash: hashSecret('old'), asksOwner: false } }),
  },
  {
    name: 'a used idempotency key',
    code: 'idempotency_error',
    break: facts => ({ ...facts, keyUsed: USED }),
  },
  {
    name: 'a used reference',
    code: 'conflict',
    break: facts => ({ ...facts, sameReference: { id: FIRST, kind: 'payment' } }),
  },
  {
    name: 'a sender that is stopped',
    code: 'policy_denied',
    break: facts => ({ ...facts, payer: agentFacts(PAYER, { ...facts.payer, status: 'quarantined' }) }),
  },
  {
    name: 'a recipient that is stopped',
    code: 'validation_error',
    break: facts => ({ ...facts, payee: agentFacts(PAYEE, { status: 'paused' }) }),
  },
  {
    name: 'a recipient that the policy blocks',
    code: 'authorization_error',
    break: facts => ({ ...facts, payer: agentFacts(PAYER, { ...facts.payer, layers: blocking }) }),
  },
  {
    name: 'a limit',
    code: 'spend_limit_exceeded',
    break: facts => ({ ...facts, checkLimits: () => refuse('spend_limit_exceeded', 'over the limit') }),
  },
  {
    name: 'too little money',
    code: 'insufficient_balance',
    break: facts => ({ ...facts, payerAccount: testAccount(PAYER, NOW.getTime()) }),
  },
]

test('a payment that no rule refuses may proceed', () => {
  expect(decidePayment(GOOD)).toEqual({ kind: 'proceed' })
})

describe('of two refusals the earlier in the contract’s order is returned:', () => {
  const pairs = LADDER.flatMap((rung, at) => LADDER.slice(at).map(later => [rung, later] as const))
  test.each(pairs.map(([rung, later]) => [rung.name, later.name, rung, later] as const))(
    '%s before %s',
    (_rung, _later, rung, later) => {
      expect(decidePayment(rung.break(later.break(GOOD)))).toMatchObject({ kind: 'refusal', code: rung.code })
    },
  )

  test('when all rules refuse and one after the other is fixed, the refusals follow the order', () => {
    for (const at of LADDER.keys()) {
      const broken = LADDER.slice(at).reduce((facts, rung) => rung.break(facts), GOOD)
      expect(decidePayment(broken)).toMatchObject({ code: LADDER[at]?.code })
    }
  })
})

describe('a payee', () => {
  test('that does not exist is not found', () => {
    const unknown = { code: 'not_found', field: 'to' }
    expect(decidePayment({ ...GOOD, payee: undefined, payeeAccount: undefined })).toMatchObject(unknown)
    expect(decidePayment({ ...GOOD, payeeAccount: undefined })).toMatchObject(unknown)
  })

  test('cannot be the payer', () => {
    const self = { ...GOOD, payee: GOOD.payer, payeeAccount: GOOD.payerAccount }
    expect(decidePayment(self)).toMatchObject({ code: 'validation_error', field: 'to' })
  })

  test('may be quarantined, but in no other stopped state', () => {
    expect(AGENT_STATUSES.filter(canReceive)).toEqual(['active', 'quarantined'])
  })
})

test('a sender that is not active is refused in the words of the interface', () => {
  const said = (status: AgentStatus) => decideSender(status)?.message ?? null
  expect(AGENT_STATUSES.map(said).toSorted()).toEqual(
    ['Agent is deactivated', 'Agent is frozen', 'Agent is paused', 'Agent is quarantined', null].toSorted(),
  )
  expect(decideSender('quarantined')).toMatchObject({
    code: 'policy_denied',
    message: 'Agent is quarantined',
  })
})

test('a payer without an account or without facts is refused', () => {
  for (const missing of [{ payer: undefined }, { payerAccount: undefined }]) {
    expect(decidePayment({ ...GOOD, ...missing })).toMatchObject({ code: 'authentication_error' })
  }
})

test('one paisa too little is refused, with the amounts in figures and in words', () => {
  const short = testAccount(PAYER, NOW.getTime(), { balancePaise: paise(40_199n) })
  expect(decidePayment({ ...GOOD, payerAccount: short })).toMatchObject({
    code: 'insufficient_balance',
    message: expect.stringMatching(/401\.99 INR.*402\.00 INR.*400\.00 INR.*2\.00 INR/),
    details: { balance: 401.99, required: 402, amount: 400, fee: 2 },
  })
})

test('a wallet below zero sends nothing', () => {
  const owing = testAccount(PAYER, NOW.getTime(), { balancePaise: paise(-1n) })
  expect(decidePayment({ ...GOOD, payerAccount: owing, amountPaise: paise(1n) })).toMatchObject({
    code: 'insufficient_balance',
    details: { balance: -0.01 },
  })
})

test('limits are checked only when everything before them allows the payment', () => {
  const asked: string[] = []
  const checkLimits: PaymentFacts['checkLimits'] = () => {
    asked.push('limits')
    return null
  }
  for (const rung of LADDER.slice(0, 6)) decidePayment({ ...rung.break(GOOD), checkLimits })
  expect(asked).toEqual([])
})
