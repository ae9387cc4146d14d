import type { Pagination } from '@batua/sdk'
import { Group, NativeSelect } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from '../components/card.tsx'
import { type Column, DataTable } from '../components/data-table.tsx'
import { Loaded } from '../components/loaded.tsx'
import { Pages } from '../components/pages.tsx'

interface ListProps<Data, Row> {
  readonly query: UseQueryResult<Data>
  readonly loading: string
  /** What the table lists, for screen readers. */
  readonly label: string
  readonly rows: (data: Data) => readonly Row[]
  readonly columns: readonly Column<Row>[]
  readonly rowKey: (row: Row) => string
  /** In place of the table when there is no row. */
  readonly empty: ReactNode
  readonly onOffset: (offset: number) => void
}

/** A page of a list as a table, with the way to the other pages. */
export function List<Data extends { readonly pagination: Pagination }, Row extends object>(
  props: ListProps<Data, Row>,
) {
  const { query, loading, label, rows, columns, rowKey, empty, onOffset } = props
  return (
    <Loaded query={query} loading={loading}>
      {data =>
        rows(data).length === 0 ? (
          empty
        ) : (
          <>
            <Card flush>
              <DataTable label={label} columns={columns} rows={rows(data)} rowKey={rowKey} />
            </Card>
            <Pages pagination={data.pagination} onOffset={onOffset} />
          </>
        )
      }
    </Loaded>
  )
}

interface FilterProps<Value extends string> {
  readonly label: string
  /** The name of the choice that filters nothing. */
  readonly all: string
  readonly value: Value | undefined
  readonly options: Readonly<Record<Value, string>>
  readonly onChange: (value: Value | undefined) => void
}

/** One of many values, or all of them: the filter of a list. */
export function Filter<Value extends string>({ label, all, value, options, onChange }: FilterProps<Value>) {
  const names = Object.keys(options) as Value[]
  return (
    <NativeSelect
      label={label}
      size="md"
      value={value ?? ''}
      onChange={event => onChange(names.find(name => name === event.currentTarget.value))}
      data={[{ value: '', label: all }, ...names.map(name => ({ value: name, label: options[name] }))]}
    />
  )
}

export function Filters({ children }: { readonly children: ReactNode }) {
  return (
    <Group gap="md" mb="md" align="end">
      {children}
    </Group>
  )
}

/** A search without the filters that are not set. */
export function given<Search extends object>(search: Search): Given<Search> {
  return Object.fromEntries(
    Object.entries(search).filter(([, value]) => value !== undefined),
  ) as Given<Search>
}

type Given<Search> = { [Name in keyof Search]?: Exclude<Search[Name], undefined> }
