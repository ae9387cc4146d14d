import { HANDLE_RULE } from '@batua/contract'
import { isWeakKey } from '@batua/verification/weak-key'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { publicKeyFromRaw } from '../../../kernel/signing.ts'
import {
  type Cooldown,
  changePolicy,
  decidePolicy,
  OPEN_POLICY,
  type PolicyChange,
  type SpendPolicy,
  withoutChange,
} from '../../limits/index.ts'
import { normaliseHandle } from './find-agent.ts'
import { normaliseOrigin } from './origin.ts'
import type { Agent, Sponsor } from './store.ts'

/** The request for a new agent, policy controls included. */
export interface AgentRequest extends PolicyChange {
  readonly name: string
  readonly handle: string
  readonly owner_id: string
  readonly public_key?: string
}

export interface AgentPlan {
  readonly kind: 'agent'
  readonly name: string
  readonly handle: string
  readonly policy: SpendPolicy
  /** The public key from the caller; null: the service makes a key pair. */
  readonly publicKey: string | null
}

/** Decides a request for a new agent. What depends on the owner and on the handle is decided under their locks. */
export function decideAgent(request: AgentRequest): Refusal | AgentPlan {
  const handle = normaliseHandle(request.handle)
  if (handle === null) return refuse('validation_error', HANDLE_RULE, { field: 'handle' })
  const publicKey = request.public_key ?? null
  if (publicKey !== null) {
    const refusal = decidePublicKey(publicKey)
    if (refusal !== null) return refusal
  }
  const policy = decidePolicy(OPEN_POLICY, request)
  if ('kind' in policy) return policy
  return { kind: 'agent', name: request.name.normalize('NFC'), handle, policy, publicKey }
}

function decidePublicKey(publicKey: string): Refusal | null {
  const field = 'public_key'
  if (publicKeyFromRaw(publicKey) === null) {
    const message = 'A public key is the base64 of the 32 raw bytes of an Ed25519 key'
    return refuse('validation_error', message, { field })
  }
  if (!isWeakKey(Buffer.from(publicKey, 'base64'))) return null
  const message =
    'This is no safe Ed25519 key: signatures that fit it can be made without a private key; make a key pair and send its public half'
  return refuse('validation_error', message, { field })
}

/** Refuses a new agent if its owner or platform does not allow one. */
export function decideSponsor(sponsor: Sponsor | null): Refusal | (Sponsor & { readonly kind: 'sponsor' }) {
  if (sponsor === null) {
    return refuse('not_found', 'This platform has no owner with this id; create the owner first', {
      field: 'owner_id',
    })
  }
  if (sponsor.platformStatus === 'deleted') {
    return refuse('authentication_error', 'This platform was deleted')
  }
  if (sponsor.ownerStatus === 'frozen') {
    return refuse(
      'conflict',
      'This owner is frozen and can have no new agents until an administrator unfreezes it',
    )
  }
  return { kind: 'sponsor', ...sponsor }
}

export interface AgentChange extends PolicyChange {
  readonly name?: string
  readonly origins?: readonly string[]
}

/** The agent after a change of its name, origins or policy. */
export function decideChange(
  agent: Agent,
  change: AgentChange,
  cooldown: Cooldown,
  allowsLoopback: boolean,
): Refusal | Agent {
  if (agent.status === 'deactivated') return deactivated()
  const origins = decideOrigins(agent, change, allowsLoopback)
  if ('kind' in origins) return origins
  const changed = changePolicy(agent, change, cooldown)
  if ('kind' in changed) return changed
  return { ...agent, ...changed, ...origins, name: change.name?.normalize('NFC') ?? agent.name }
}

/**
 * While the owner is frozen, an agent can remove origins but not add any. The last one stays: an agent without origins
 * is paid anywhere.
 */
function decideOrigins(
  { origins: before, isOwnerFrozen }: Agent,
  { origins }: AgentChange,
  allowsLoopback: boolean,
): Refusal | Pick<Agent, 'origins'> {
  if (origins === undefined) return { origins: before }
  const named = origins.map(text => normaliseOrigin(text, { allowsLoopback }))
  const valid = named.filter(origin => origin !== null)
  if (valid.length < named.length) return noOrigin(origins[named.indexOf(null)])
  const after = [...new Set(valid)]
  const isWider = after.some(origin => !before.includes(origin)) || (after.length === 0 && before.length > 0)
  if (isOwnerFrozen && isWider) return frozenOrigins()
  return { origins: after }
}

function noOrigin(text: string | undefined): Refusal {
  const message = `${JSON.stringify(text)} is no origin: name it like https://shop.example, without a path`
  return refuse('validation_error', message, { field: 'origins' })
}

function frozenOrigins(): Refusal {
  const message =
    'The owner is frozen, so no origin is added, and the last one stays, until an administrator unfreezes the owner; removing others still works'
  return refuse('conflict', message, { field: 'origins' })
}

/** The agent without the pending change of this control. */
export function decideCancel(agent: Agent, control: string): Refusal | Agent {
  if (agent.status === 'deactivated') return deactivated()
  const left = withoutChange(agent.pending, control)
  return 'kind' in left ? left : { ...agent, pending: left }
}

/** The deactivated agent, which is final. It has no key hash, so no key matches any more. */
export function deactivate(agent: Agent, now: Date): Agent {
  const { status } = agent
  const blockedAs = status === 'frozen' || status === 'quarantined' ? status : agent.blockedAs
  return {
    ...agent,
    status: 'deactivated',
    blockedAs,
    keyHash: NO_KEY,
    deactivatedAt: agent.deactivatedAt ?? now,
  }
}

const NO_KEY = Buffer.alloc(0)

/** The agent with a new key. */
export function decideNewKey(agent: Agent, key: { hash: Buffer; last4: string }): Refusal | Agent {
  if (agent.status === 'deactivated') return deactivated()
  if (agent.isOwnerFrozen) {
    return refuse(
      'conflict',
      'The owner of this agent is frozen; its key can be replaced once an administrator has unfrozen the owner',
    )
  }
  return { ...agent, keyHash: key.hash, keyLast4: key.last4 }
}

function deactivated(): Refusal {
  return refuse('conflict', 'Agent is deactivated, which is final; create a new agent')
}
