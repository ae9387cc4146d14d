import { expect, test } from 'vitest'
import { type AgentState, decideState, STATE_ACTS, type StateAct } from './states.ts'

const bare = { wasPaused: false, wasQuarantined: false, blockedAs: null }

/** Every state that an agent can be in, with the weaker states that it covers. */
const STATES = {
  active: { ...bare, status: 'active' },
  paused: { ...bare, status: 'paused' },
  quarantined: { ...bare, status: 'quarantined' },
  'quarantined over paused': { ...bare, status: 'quarantined', wasPaused: true, wasQuarantined: false },
  frozen: { ...bare, status: 'frozen' },
  'frozen over paused': { ...bare, status: 'frozen', wasPaused: true, wasQuarantined: false },
  'frozen over quarantined': { ...bare, status: 'frozen', wasPaused: false, wasQuarantined: true },
  'frozen over quarantined over paused': { ...bare, status: 'frozen', wasPaused: true, wasQuarantined: true },
  deactivated: { ...bare, status: 'deactivated' },
  'deactivated while quarantined': { ...bare, status: 'deactivated', blockedAs: 'quarantined' },
  'deactivated while frozen': { ...bare, status: 'deactivated', blockedAs: 'frozen' },
  'deactivated while frozen over quarantined': {
    ...bare,
    status: 'deactivated',
    wasQuarantined: true,
    blockedAs: 'frozen',
  },
  restored: { ...bare, status: 'deactivated', wasQuarantined: true },
} as const satisfies Record<string, AgentState>

type Name = keyof typeof STATES

/** The state after each act in each state. `no` is a conflict. */
const TABLE: Record<Name, readonly [...(Name | 'no')[]]> = {
  //                    pause     resume    quarantine                 freeze                    restore   unfreeze
  active: ['paused', 'active', 'quarantined', 'frozen', 'active', 'active'],
  paused: ['paused', 'active', 'quarantined over paused', 'frozen over paused', 'paused', 'paused'],
  quarantined: ['no', 'no', 'quarantined', 'frozen over quarantined', 'active', 'quarantined'],
  'quarantined over paused': [
    'no',
    'no',
    'quarantined over paused',
    'frozen over quarantined over paused',
    'paused',
    'quarantined over paused',
  ],
  frozen: ['no', 'no', 'no', 'frozen', 'active', 'active'],
  'frozen over paused': ['no', 'no', 'no', 'frozen over paused', 'paused', 'paused'],
  'frozen over quarantined': ['no', 'no', 'no', 'frozen over quarantined', 'active', 'quarantined'],
  'frozen over quarantined over paused': [
    'no',
    'no',
    'no',
    'frozen over quarantined over paused',
    'paused',
    'quarantined over paused',
  ],
  deactivated: ['no', 'no', 'no', 'no', 'no', 'no'],
  'deactivated while quarantined': ['no', 'no', 'no', 'no', 'deactivated', 'deactivated while quarantined'],
  'deactivated while frozen': ['no', 'no', 'no', 'no', 'deactivated', 'deactivated'],
  'deactivated while frozen over quarantined': [
    'no',
    'no',
    'no',
    'no',
    'restored',
    'deactivated while quarantined',
  ],
  restored: ['no', 'no', 'no', 'no', 'no', 'no'],
}

const cells = (Object.keys(STATES) as Name[]).flatMap(name =>
  STATE_ACTS.map((act, at) => [name, act, TABLE[name][at] ?? 'no'] as const),
)

function after(name: Name, act: StateAct, ownerFrozen = false): AgentState | 'no' {
  const decided = decideState(STATES[name], act, ownerFrozen)
  return decided.kind === 'state' ? decided.state : 'no'
}

test.each(cells)('an agent that is %s, after %s: %s', (name, act, outcome) => {
  expect(after(name, act)).toEqual(outcome === 'no' ? 'no' : STATES[outcome])
})

test.each(cells)('an agent that is %s is in the same state after one %s and after two', (name, act) => {
  const once = after(name, act)
  // A deactivated agent whose money is not blocked has nothing that can be lifted.
  if (once === 'no' || (once.status === 'deactivated' && once.blockedAs === null)) return
  expect(decideState(once, act, false)).toEqual({ kind: 'state', state: once })
})

test.each(cells)(
  'an agent that is %s can spend again after %s only if its owner is not frozen',
  (name, act, outcome) => {
    const expected = act === 'resume' || act === 'restore' ? 'no' : outcome
    expect(after(name, act, true)).toEqual(expected === 'no' ? 'no' : STATES[expected])
  },
)

test.each([
  ['quarantined', 'pause', 'Agent is quarantined; only an administrator can end that'],
  ['frozen', 'resume', 'Agent is frozen; only an administrator can end that'],
  ['frozen', 'quarantine', 'Agent is frozen; quarantine would loosen that. Restore the agent first'],
  ['deactivated', 'resume', 'Agent is deactivated, which is final; create a new agent'],
] as const)('a conflict names the state and who can end it: %s, %s', (name, act, message) => {
  expect(decideState(STATES[name], act, false)).toMatchObject({
    kind: 'refusal',
    code: 'conflict',
    message,
    details: { status: STATES[name].status },
  })
})

test('a refusal because of a frozen owner names the owner', () => {
  for (const act of ['resume', 'restore'] as const) {
    expect(decideState(STATES.frozen, act, true)).toMatchObject({
      kind: 'refusal',
      code: 'conflict',
      message: expect.stringContaining('unfreeze the owner first'),
    })
  }
})
