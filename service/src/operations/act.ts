import type { ActorType, AuditAction } from '@batua/contract'
import type { Caller } from '../http/caller.ts'
import { unreachable } from '../kernel/assert.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { NewEvent } from './event.ts'

/** Who acts, as the entry names them. */
export interface Actor {
  readonly type: ActorType
  readonly id: string
}

/** Who does it and when, and what seals it: for use cases that record acts in somebody else's transaction. */
export interface Recording {
  readonly actor: Actor
  readonly vault: Vault
  readonly now: Date
}

/** What an entry's data may hold: JSON, amounts in INR. No secret, no phone, no PAN, no bank account. */
export type Facts = { readonly [name: string]: Fact }
type Fact = string | number | boolean | null | readonly Fact[] | Facts

/** One act that changes something, as the module tells it that does it. */
export interface Act {
  /** The agent that acts or is acted on, in whose trail it stands; null where there is none. */
  readonly agentId: Uuid | null
  readonly actor: Actor
  readonly action: AuditAction
  /** The id of what is acted on, as the outside knows it. */
  readonly target: string
  readonly data: Facts
  /** The webhook events that the platforms concerned get of it. */
  readonly events?: readonly NewEvent[]
}

/**
 * Whoever holds a credential. A session may cover owners on several platforms: `ownerId` is the one whose thing is
 * acted on.
 */
export function actorOf(caller: Caller, ownerId: Uuid | null = null): Actor {
  switch (caller.kind) {
    case 'platform':
      return { type: 'platform', id: formatId('plt', caller.platformId) }
    case 'agent':
      return agentActor(caller.agentId)
    case 'owner':
      return { type: 'owner', id: formatId('own', ownerId ?? caller.ownerIds[0] ?? caller.sessionId) }
    case 'admin':
      return { type: 'admin', id: maskedPhone(caller.phone) }
    case 'public':
      return { type: 'public', id: 'anonymous' }
    default:
      return unreachable(caller)
  }
}

/** An agent, where what it does is known by its id alone. */
export function agentActor(agentId: Uuid): Actor {
  return { type: 'agent', id: formatId('agt', agentId) }
}

/** The service itself, by the part of it that acts: `escrow timeouts`, `settlement`, `payment gateway`. */
export function service(part: string): Actor {
  return { type: 'service', id: part }
}

/** An administrator's phone as the log shows it (contract section 8). */
function maskedPhone(phone: string): string {
  return `xxxxxx${phone.slice(-4)}`
}
