import type { ActorType, AuditAction } from '@batua/contract'
import type { Caller } from '../http/caller.ts'
import { unreachable } from '../kernel/assert.ts'
import { formatId, type Uuid } from '../kernel/ids.ts'
import type { Vault } from '../kernel/secrets.ts'
import type { NewEvent } from './event.ts'

/** The actor of an audit entry. */
export interface Actor {
  readonly type: ActorType
  readonly id: string
}

/** The actor, the time and the vault for use cases that record acts in their caller's transaction. */
export interface Recording {
  readonly actor: Actor
  readonly vault: Vault
  readonly now: Date
}

/** The data of an audit entry: JSON, amounts in INR. It holds no secret, phone, PAN or bank account. */
export type Facts = { readonly [name: string]: Fact }
type Fact = string | number | boolean | null | readonly Fact[] | Facts

/** One change, with its audit entry and its webhook events. */
export interface Act {
  /** The agent whose trail has the entry; null: none. */
  readonly agentId: Uuid | null
  readonly actor: Actor
  readonly action: AuditAction
  /** The public id of what was changed. */
  readonly target: string
  readonly data: Facts
  /** The webhook events for the platforms concerned. */
  readonly events?: readonly NewEvent[]
}

/**
 * The actor of a caller. A session may cover owners on several platforms: `ownerId` is the owner whose record is
 * changed.
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

/** The actor for an agent id. */
export function agentActor(agentId: Uuid): Actor {
  return { type: 'agent', id: formatId('agt', agentId) }
}

/** The actor for the service itself, by the part that acts: `escrow timeouts`, `settlement`, `payment gateway`. */
export function service(part: string): Actor {
  return { type: 'service', id: part }
}

/** An administrator's phone, masked for the log (contract section 8). */
function maskedPhone(phone: string): string {
  return `xxxxxx${phone.slice(-4)}`
}
