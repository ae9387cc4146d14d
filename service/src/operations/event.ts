import type { EventData, EventName } from '@batua/contract'
import type { Uuid } from '../kernel/ids.ts'
import { canonicalJson } from '../kernel/signing.ts'

/** Which platform gets the event: the agent's, the owner's, or the named one. */
export type Subject = { readonly agentId: Uuid } | { readonly ownerId: Uuid } | { readonly platformId: Uuid }

/** An event for one platform, with the data that the contract defines for its name. */
export type NewEvent = {
  readonly [Name in EventName]: { readonly name: Name; readonly data: EventData<Name> } & Subject
}[EventName] & {
  /** The id under which the use case delivers the event itself, instead of the fan-out. */
  readonly deliveredAs?: Uuid
}

/** Makes an event whose name is chosen at run time among names with the same data. */
export function eventNamed<Name extends EventName>(
  name: Name,
  subject: Subject,
  data: EventData<Name>,
): NewEvent {
  return { name, data, ...subject } as NewEvent
}

/** The key of an event. The two events of a payment differ in their names. */
export interface EventKey {
  readonly id: Uuid
  readonly name: EventName
}

export interface EventContent extends EventKey {
  /** The agent, the owner or the platform that the event is about. It decides which platform gets it. */
  readonly subjectId: Uuid
  readonly data: unknown
  readonly createdAt: Date
}

/** The text that an event's MAC covers: everything that is sent except the sequence, and the subject. Never change its form. */
export function eventMacText({ id, name, subjectId, data, createdAt }: EventContent): string {
  return `event ${canonicalJson([id, name, subjectId, data, createdAt.getTime()])}`
}

export function subjectIdOf(subject: Subject): Uuid {
  if ('agentId' in subject) return subject.agentId
  return 'ownerId' in subject ? subject.ownerId : subject.platformId
}
