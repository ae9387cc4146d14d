import type { EventName } from '@batua/contract'
import type { Uuid } from '../../../kernel/ids.ts'

/** An event on its way to its platform. */
export interface Parcel {
  readonly id: Uuid
  readonly event: EventName
  /** How often it was tried before. */
  readonly attempts: number
}

/** A parcel with the JSON text that is sent. */
export interface ReadyParcel extends Parcel {
  readonly body: string
}
