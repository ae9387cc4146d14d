import type { AgentStatus } from '@batua/contract'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { unreachable } from '../../../kernel/assert.ts'

/**
 * An agent's state, and the weaker states that it covers. A freeze is stronger than a quarantine, and a quarantine is
 * stronger than a pause. When the stronger state ends, the weaker one applies again.
 */
export interface AgentState {
  readonly status: AgentStatus
  /** Paused when it was quarantined or frozen. */
  readonly wasPaused: boolean
  /** Quarantined when it was frozen. */
  readonly wasQuarantined: boolean
  /** Of a deactivated agent: the state that still blocks its money, until an administrator ends it. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
}

/** Whether a freeze or quarantine blocks the money. */
export function isBlocked({ status, blockedAs }: AgentState): boolean {
  return status === 'frozen' || status === 'quarantined' || blockedAs !== null
}

/**
 * The changes of an agent's state. The owner or platform can `pause` and `resume`, administrators the others: `restore`
 * ends a quarantine or freeze of this agent, `unfreeze` a freeze of its owner.
 */
export const STATE_ACTS = ['pause', 'resume', 'quarantine', 'freeze', 'restore', 'unfreeze'] as const

export type StateAct = (typeof STATE_ACTS)[number]

export type StateDecision = Refusal | { readonly kind: 'state'; readonly state: AgentState }

/** The state after an act. A repeated act changes nothing, so a caller that lost the response may repeat it. */
export function decideState(state: AgentState, act: StateAct, ownerFrozen: boolean): StateDecision {
  if (state.status === 'deactivated') return decideDeactivated(state, act, ownerFrozen)
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

const ACTIVE: AgentState = { status: 'active', wasPaused: false, wasQuarantined: false, blockedAs: null }
const PAUSED: AgentState = { ...ACTIVE, status: 'paused' }

/** A deactivated agent stays deactivated, but a freeze or quarantine of its money can be ended. */
function decideDeactivated(state: AgentState, act: StateAct, ownerFrozen: boolean): StateDecision {
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
  if (state.status === 'active' || state.status === 'paused') return become(ACTIVE)
  return stopped(state.status)
}

function decideRestore(state: AgentState, ownerFrozen: boolean): StateDecision {
  if (ownerFrozen) return ownerIsFrozen()
  if (state.status === 'active' || state.status === 'paused') return become(state)
  return become(state.wasPaused ? PAUSED : ACTIVE)
}

function quarantined(state: AgentState): AgentState {
  if (state.status === 'quarantined') return state
  return { ...ACTIVE, status: 'quarantined', wasPaused: state.status === 'paused' }
}

function frozen(state: AgentState): AgentState {
  if (state.status === 'frozen') return state
  return {
    ...ACTIVE,
    status: 'frozen',
    wasPaused: state.wasPaused || state.status === 'paused',
    wasQuarantined: state.status === 'quarantined',
  }
}

function unfrozen(state: AgentState): AgentState {
  if (state.status !== 'frozen') return state
  if (state.wasQuarantined) return { ...state, status: 'quarantined', wasQuarantined: false }
  return state.wasPaused ? PAUSED : ACTIVE
}

function become(state: AgentState): StateDecision {
  return { kind: 'state', state }
}

const LOOSENING = 'quarantine would loosen that. Restore the agent first'

/** How a state can be ended, for the refusal of another one. */
const WAY_OUT: Record<AgentStatus, string> = {
  active: 'its owner or platform can pause it',
  paused: 'its owner or platform can resume it',
  quarantined: 'only an administrator can end that',
  frozen: 'only an administrator can end that',
  deactivated: 'which is final; create a new agent',
}

function stopped(status: AgentStatus, wayOut = WAY_OUT[status]): Refusal {
  const message =
    status === 'deactivated' ? `Agent is deactivated, ${wayOut}` : `Agent is ${status}; ${wayOut}`
  return refuse('conflict', message, { details: { status } })
}

function ownerIsFrozen(): Refusal {
  return refuse(
    'conflict',
    'The owner of this agent is frozen; an administrator has to unfreeze the owner first',
  )
}
