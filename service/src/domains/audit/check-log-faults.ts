import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { TileId } from './merkle.ts'

/** A part of the log that is not as the service wrote it. It names ids and numbers, never the content of an entry. */
export interface LogFault {
  /** The public id of an entry, or the name of another part of the log. */
  readonly subject: string
  readonly kind: LogFaultKind
  readonly detail: string
}

export type LogFaultKind =
  /** Its leaf is in the tree, but the entry is not stored. */
  | 'missing_entry'
  /** It does not hash to its leaf. */
  | 'altered_entry'
  /** It is stored, but neither in the tree nor in the queue. */
  | 'not_in_log'
  /** It has two leaves. */
  | 'doubled_leaf'
  | 'broken_tile'
  | 'bad_checkpoint'
  | 'forged_queue'

export function entryFault(id: Uuid, kind: LogFaultKind, detail: string): LogFault {
  return { subject: formatId('aud', id), kind, detail }
}

export function tileFault({ level, tile }: TileId, detail: string): LogFault {
  return { subject: `tile ${level}/${tile}`, kind: 'broken_tile', detail }
}

export function checkpointFault(detail: string): LogFault {
  return { subject: 'checkpoint', kind: 'bad_checkpoint', detail }
}

export function queueFault(id: Uuid, detail: string): LogFault {
  return { subject: `queue ${id}`, kind: 'forged_queue', detail }
}
