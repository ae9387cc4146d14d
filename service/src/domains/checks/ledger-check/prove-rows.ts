import type { Queryable } from '../../../db/database.ts'
import type { CheckedTable } from '../../../db/row-mac.ts'
import { assert } from '../../../kernel/assert.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import type { Finding } from '../../../operations/scan.ts'

export const ROW_FAULT = 'altered_row'

/** A table, and the last of its rows that was proved. Rows come by their ids. */
export interface RowsPosition {
  readonly table: string
  readonly after: string
}

interface ProvenRows {
  /** How many rows were proved. */
  readonly count: number
  readonly faults: readonly Finding[]
  /** The position of the next rows; null: no table is left. */
  readonly next: RowsPosition | null
}

/** The position of the first rows; null: there is no table. */
export function firstRows(tables: readonly CheckedTable[]): RowsPosition | null {
  return startOf(tables[0])
}

/**
 * Proves some rows of one table: that the MAC of each is valid, and that it is not older than the audit log and the ledger
 * say. Code that uses a row proves it as well; this finds an altered row that nothing uses.
 */
export async function proveRows(
  tx: Queryable,
  vault: Vault,
  tables: readonly CheckedTable[],
  { position, limit }: { readonly position: RowsPosition; readonly limit: number },
): Promise<ProvenRows> {
  const index = tables.findIndex(({ table }) => table === position.table)
  const table = tables[index]
  // The table of an earlier release.
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
