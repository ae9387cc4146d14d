import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { entryFault, type LogFault } from './check-log-faults.ts'
import {
  type RowId,
  selectEntryIds,
  selectLeafIds,
  selectQueued,
  selectTransferIds,
} from './check-log-rows-store.ts'

export interface CheckedRows {
  readonly faults: readonly LogFault[]
  /** The last row that was looked at; null when none was left. */
  readonly last: Uuid | null
}

/** That what is stored behind an id is in the tree or waits for it. One snapshot has both, so nothing is between them. */
export async function checkRows(
  tx: Queryable,
  phase: 'entries' | 'payments',
  after: Uuid,
  limit: number,
): Promise<CheckedRows> {
  const rows = await (phase === 'entries'
    ? selectEntryIds(tx, after, limit)
    : selectTransferIds(tx, after, limit))
  const [first, last] = [rows.at(0), rows.at(-1)]
  if (first === undefined || last === undefined) return { faults: [], last: null }
  const leaves = timesOf(await selectLeafIds(tx, first.id, last.id))
  return { faults: await faultsOf(tx, rows, leaves), last: rows.length < limit ? null : last.id }
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
  const entries = rows.filter(row => row.isEntry).map(({ id }) => id)
  const doubled = entries.filter(id => (leaves.get(id) ?? 0) > 1)
  const missing = entries.filter(id => !leaves.has(id))
  const queued = await selectQueued(tx, missing)
  return [
    ...doubled.map(id => entryFault(id, 'doubled_leaf', 'the tree has it more than once')),
    ...missing
      .filter(id => !queued.has(id))
      .map(id => entryFault(id, 'not_in_log', 'neither the tree nor the queue has it')),
  ]
}
