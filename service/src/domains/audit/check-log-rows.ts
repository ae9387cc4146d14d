import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { entryFault, type LogFault } from './check-log-faults.ts'
import {
  type RowId,
  selectEntryIds,
  selectLeafIds,
  selectQueued,
  selectReach,
  selectTransferIds,
} from './check-log-rows-store.ts'

export interface CheckedRows {
  readonly faults: readonly LogFault[]
  /** The last row that was checked; null if no more rows are left. */
  readonly last: Uuid | null
}

/** Entries may be far apart among payments: this bounds how much of the tree between them one slice reads. */
const TILES_AT_ONCE = 500

/** Checks that rows after an id are in the tree or in the queue. Both are read in one snapshot, so no row is in neither. */
export async function checkRows(
  tx: Queryable,
  phase: 'entries' | 'payments',
  after: Uuid,
  limit: number,
  tilesAtOnce = TILES_AT_ONCE,
): Promise<CheckedRows> {
  const found = await (phase === 'entries'
    ? selectEntryIds(tx, after, limit)
    : selectTransferIds(tx, after, limit))
  const [first] = found
  if (first === undefined) return { faults: [], last: null }
  const reach = await selectReach(tx, first.id, tilesAtOnce)
  const rows = found.filter(row => reach === null || row === first || row.id <= reach)
  const leaves = timesOf(await selectLeafIds(tx, rows.map(idOf)))
  const isAtEnd = found.length < limit && rows.length === found.length
  return { faults: await faultsOf(tx, rows, leaves), last: isAtEnd ? null : (rows.at(-1)?.id ?? null) }
}

function idOf({ id }: RowId): Uuid {
  return id
}

function timesOf(ids: readonly Uuid[]): Map<Uuid, number> {
  const times = new Map<Uuid, number>()
  for (const id of ids) times.set(id, (times.get(id) ?? 0) + 1)
  return times
}

async function faultsOf(
  tx: Queryable,
  rows: readonly RowId[],
  leaves: ReadonlyMap<Uuid, number>,
): Promise<LogFault[]> {
  const entries = rows.filter(row => row.isEntry).map(idOf)
  const doubled = entries.filter(id => (leaves.get(id) ?? 0) > 1)
  const missing = entries.filter(id => !leaves.has(id))
  const queued = await selectQueued(tx, missing)
  return [
    ...doubled.map(id => entryFault(id, 'doubled_leaf', 'the tree has its leaf more than once')),
    ...missing
      .filter(id => !queued.has(id))
      .map(id => entryFault(id, 'not_in_log', 'it is neither in the tree nor in the queue')),
  ]
}
