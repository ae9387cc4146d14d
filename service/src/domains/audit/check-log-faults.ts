import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { TileId } from './merkle.ts'

/** Something about the log that is not as the service wrote it. It names ids and numbers, never what an entry says. */
export interface LogFault {
  /** An entry’s id as the outside knows it, or what else of the log it is. */
  readonly subject: string
  readonly kind: LogFaultKind
  readonly detail: string
}

export type LogFaultKind =
  /** The log has its leaf, the database not. */
  | 'missing_entry'
  /** It does not hash to its leaf. */
  | 'altered_entry'
  /** The database has it, the log not. */
  | 'not_in_log'
  /** Two leaves are its. */
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
