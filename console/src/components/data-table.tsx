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

/** A table on a desk; on a phone a list, with the names of the columns beside their values. */
export function DataTable<Row extends RowData>(props: DataTableProps<Row>) {
  const isPhone = useIsPhone()
  return isPhone ? <RowList {...props} /> : <RowTable {...props} />
}

function RowTable<Row extends RowData>({ label, columns, rows, rowKey }: DataTableProps<Row>) {
  const definitions = columns.map(({ id, name }): ColumnDef<typeof FEATURES, Row> => ({ id, header: name }))
  const table = useTable({ features: FEATURES, columns: definitions, data: [...rows], getRowId: rowKey })
  const alignOf = (id: string) => columns.find(column => column.id === id)?.align
  return (
    <table className={classes.table} aria-label={label}>
      <thead>
        {table.getHeaderGroups().map(group => (
          <tr key={group.id}>
            {group.headers.map(header => (
              <th key={header.id} scope="col" data-align={alignOf(header.id)}>
                <table.FlexRender header={header} />
              </th>
            ))}
          </tr>
        ))}
      </thead>
      <tbody>
        {table.getRowModel().rows.map(row => (
          <tr key={row.id}>
            {/* Not by `FlexRender`: it takes a function for a component, and a new one begins without its state. */}
            {columns.map(({ id, align, cell }) => (
              <td key={id} data-align={align}>
                {cell(row.original)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function RowList<Row>({ label, columns: [first, ...others], rows, rowKey }: DataTableProps<Row>) {
  return (
    <ul className={classes.list} aria-label={label}>
      {rows.map(row => (
        <li key={rowKey(row)}>
          <div className={classes.first}>{first?.cell(row)}</div>
          <dl>
            {others.map(({ id, name, cell }) => (
              <div key={id}>
                <dt>{name}</dt>
                <dd>{cell(row)}</dd>
              </div>
            ))}
          </dl>
        </li>
      ))}
    </ul>
  )
}
