import type { EventData, EventName } from '@batua/contract'
import type { Uuid } from '../kernel/ids.ts'
import { canonicalJson } from '../kernel/signing.ts'

/** Whose platform is told: that of an agent, of an owner, or one that is named itself. */
export type Subject = { readonly agentId: Uuid } | { readonly ownerId: Uuid } | { readonly platformId: Uuid }

/** An event for one platform; its data is what the contract says of its name. */
export type NewEvent = {
  readonly [Name in EventName]: { readonly name: Name; readonly data: EventData<Name> } & Subject
}[EventName]

/** An event that may have any of several names, whose data is the same for all of them. */
export function eventNamed<Name extends EventName>(
  name: Name,
  subject: Subject,
  data: EventData<Name>,
): NewEvent {
  return { name, data, ...subject } as NewEvent
}

/** What names an event: a payment's two have the name of their side with them. */
export interface EventKey {
  readonly id: Uuid
  readonly name: EventName
}

export interface EventContent extends EventKey {
  /** The agent, the owner or the platform that it is about: whose it is says who is told. */
  readonly subjectId: Uuid
  readonly data: unknown
  readonly createdAt: Date
}

/** What an event's seal covers: all that its receiver is told but the sequence, which is a hint, and who that is. */
export function eventMacText({ id, name, subjectId, data, createdAt }: EventContent): string {
  return `event ${canonicalJson([id, name, subjectId, data, createdAt.getTime()])}`
}

export function subjectIdOf(subject: Subject): Uuid {
  if ('agentId' in subject) return subject.agentId
  return 'ownerId' in subject ? subject.ownerId : subject.platformId
}
