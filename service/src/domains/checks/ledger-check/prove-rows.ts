import type { Queryable } from '../../../db/database.ts'
import type { CheckedTable } from '../../../db/row-mac.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { RowsPosition } from './position.ts'
import type { Fault } from './wallet-proof.ts'

export const ROW_FAULT = 'altered_row'

export interface ProvenRows {
  /** How many rows were looked at. */
  readonly count: number
  readonly faults: readonly Fault[]
  /** Where the next rows are; null: no table is left. */
  readonly next: RowsPosition | null
}

/** Where a round begins with the rows; null: no table has any. */
export function firstRows(tables: readonly CheckedTable[]): RowsPosition | null {
  return startOf(tables[0])
}

/**
 * Proves some rows of one table: that each has the MAC that the service gave it, and is not older than the audit log and
 * the book say. A row's use proves it as well; this finds one that nobody uses.
 */
export async function proveRows(
  tx: Queryable,
  vault: Vault,
  tables: readonly CheckedTable[],
  { position, limit }: { readonly position: RowsPosition; readonly limit: number },
): Promise<ProvenRows> {
  const index = tables.findIndex(({ table }) => table === position.table)
  const table = tables[index]
  // A release before had a table that this one has not.
  if (table === undefined) return { count: 0, faults: [], next: firstRows(tables) }
  const rows = await table.check(tx, vault, position.after, limit)
  const faults = rows.flatMap(({ id, why }) =>
    why === null ? [] : [{ subject: `${position.table}/${id}`, kind: ROW_FAULT, detail: `it ${why}` }],
  )
  const last = rows.length < limit ? undefined : rows.at(-1)
  assert(last === undefined || last.id > position.after, 'rows come by their ids')
  const next = last === undefined ? startOf(tables[index + 1]) : { table: position.table, after: last.id }
  return { count: rows.length, faults, next }
}

function startOf(table: CheckedTable | undefined): RowsPosition | null {
  return table === undefined ? null : { table: table.table, after: table.first }
}
