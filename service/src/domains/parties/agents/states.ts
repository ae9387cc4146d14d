import type { AgentStatus } from '@batua/contract'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { unreachable } from '../../../kernel/assert.ts'

/**
 * An agent's state, and what it covers. Freezing is stronger than quarantine, quarantine than a pause; whoever lifts
 * the stronger one finds the weaker one again.
 */
export interface AgentState {
  readonly status: AgentStatus
  /** Paused when it was quarantined or frozen. */
  readonly wasPaused: boolean
  /** Quarantined when it was frozen. */
  readonly wasQuarantined: boolean
  /** Of an ended agent: how it was stopped when it ended. Its money stays held until an administrator lifts that. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
}

/**
 * What is done to an agent's state: `pause` and `resume` by the owner's side; the rest by administrators, of whom
 * `restore` ends what was done to this agent, and `unfreeze` what was done to its owner.
 */
export const STATE_ACTS = ['pause', 'resume', 'quarantine', 'freeze', 'restore', 'unfreeze'] as const

export type StateAct = (typeof STATE_ACTS)[number]

export type StateDecision = Refusal | { readonly kind: 'state'; readonly state: AgentState }

/** The state after an act. An act that has been done already changes nothing, so a lost answer may be asked for again. */
export function decideState(state: AgentState, act: StateAct, ownerFrozen: boolean): StateDecision {
  if (state.status === 'deactivated') return decideEnded(state, act, ownerFrozen)
  switch (act) {
    case 'pause':
      return decidePause(state)
    case 'resume':
      return decideResume(state, ownerFrozen)
    case 'quarantine':
      return state.status === 'frozen' ? stopped('frozen', LOOSENING) : become(quarantined(state))
    case 'freeze':
      return become(frozen(state))
    case 'restore':
      return decideRestore(state, ownerFrozen)
    case 'unfreeze':
      return become(unfrozen(state))
    default:
      return unreachable(act)
  }
}

const RUNNING: AgentState = { status: 'active', wasPaused: false, wasQuarantined: false, blockedAs: null }
const PAUSED: AgentState = { ...RUNNING, status: 'paused' }

/** Nothing brings an ended agent back; what holds its money can be lifted as from any other. */
function decideEnded(state: AgentState, act: StateAct, ownerFrozen: boolean): StateDecision {
  const { blockedAs, wasQuarantined } = state
  if (blockedAs === null) return stopped('deactivated')
  if (act === 'restore') return ownerFrozen ? ownerIsFrozen() : become({ ...state, blockedAs: null })
  if (act !== 'unfreeze') return stopped('deactivated')
  if (blockedAs !== 'frozen') return become(state)
  return become({ ...state, blockedAs: wasQuarantined ? 'quarantined' : null, wasQuarantined: false })
}

function decidePause(state: AgentState): StateDecision {
  if (state.status === 'active' || state.status === 'paused') return become(PAUSED)
  return stopped(state.status)
}

function decideResume(state: AgentState, ownerFrozen: boolean): StateDecision {
  if (ownerFrozen) return ownerIsFrozen()
  if (state.status === 'active' || state.status === 'paused') return become(RUNNING)
  return stopped(state.status)
}

function decideRestore(state: AgentState, ownerFrozen: boolean): StateDecision {
  if (ownerFrozen) return ownerIsFrozen()
  if (state.status === 'active' || state.status === 'paused') return become(state)
  return become(state.wasPaused ? PAUSED : RUNNING)
}

function quarantined(state: AgentState): AgentState {
  if (state.status === 'quarantined') return state
  return { ...RUNNING, status: 'quarantined', wasPaused: state.status === 'paused' }
}

function frozen(state: AgentState): AgentState {
  if (state.status === 'frozen') return state
  return {
    ...RUNNING,
    status: 'frozen',
    wasPaused: state.wasPaused || state.status === 'paused',
    wasQuarantined: state.status === 'quarantined',
  }
}

function unfrozen(state: AgentState): AgentState {
  if (state.status !== 'frozen') return state
  if (state.wasQuarantined) return { ...state, status: 'quarantined', wasQuarantined: false }
  return state.wasPaused ? PAUSED : RUNNING
}

function become(state: AgentState): StateDecision {
  return { kind: 'state', state }
}

const LOOSENING = 'quarantine would loosen that. Restore the agent first'

/** Who can end a state, told to whoever wanted another. */
const WAY_OUT: Record<AgentStatus, string> = {
  active: 'its owner or platform can pause it',
  paused: 'its owner or platform can resume it',
  quarantined: 'only an administrator can end that',
  frozen: 'only an administrator can end that',
  deactivated: 'which is final; create a new agent',
}

function stopped(status: AgentStatus, wayOut = WAY_OUT[status]): Refusal {
  const said = status === 'deactivated' ? `Agent is deactivated, ${wayOut}` : `Agent is ${status}; ${wayOut}`
  return refuse('conflict', said, { details: { status } })
}

function ownerIsFrozen(): Refusal {
  return refuse(
    'conflict',
    'The owner of this agent is frozen; an administrator has to unfreeze the owner first',
  )
}
