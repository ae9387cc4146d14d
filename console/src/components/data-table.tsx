import { type ColumnDef, type RowData, tableFeatures, useTable } from '@tanstack/react-table'
import type { ReactNode } from 'react'
import classes from './data-table.module.css'
import { useIsPhone } from './use-is-phone.ts'

const FEATURES = tableFeatures({})

/** A column: its name, and what it shows of a row. The first column names the row. */
export interface Column<Row> {
  readonly id: string
  readonly name: string
  /** Amounts stand at the end of their column. */
  readonly align?: 'end'
  readonly cell: (row: Row) => ReactNode
}

interface DataTableProps<Row> {
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  readonly rowKey: (row: Row) => string
}

/**
 * A table on a desk; on a phone a list, with the names of the columns beside their values. Both have the same elements, so
 * a dialog that a row has opened stays when the phone is turned.
 */
export function DataTable<Row extends RowData>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  const isList = useIsPhone()
  const as = (role: string) => (isList ? { role } : {})
  const definitions = columns.map(({ id, name }): ColumnDef<typeof FEATURES, Row> => ({ id, header: name }))
  const table = useTable({ features: FEATURES, columns: definitions, data: [...rows], getRowId: rowKey })
  return (
    <table className={isList ? classes.list : classes.table} aria-label={label} {...as('list')}>
      {!isList && (
        <thead>
          {table.getHeaderGroups().map(group => (
            <tr key={group.id}>
              {group.headers.map((header, index) => (
                <th key={header.id} scope="col" data-align={columns[index]?.align}>
                  <table.FlexRender header={header} />
                </th>
              ))}
            </tr>
          ))}
        </thead>
      )}
      <tbody {...as('presentation')}>
        {table.getRowModel().rows.map(row => (
          <tr key={row.id} {...as('listitem')}>
            {/* Not by `FlexRender`: it takes a function for a component, and a new one begins without its state. */}
            {columns.map(({ id, name, align, cell }, index) => (
              <td key={id} data-align={align} {...as('presentation')}>
                {isList && index > 0 && <span className={classes.name}>{name}</span>}
                <div className={classes.value}>{cell(row.original)}</div>
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}
