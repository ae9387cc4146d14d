import type { Pagination } from '@batua/sdk'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { Card } from './card.tsx'
import { Loaded } from './loaded.tsx'
import { Pages } from './pages.tsx'

interface ListProps<Data, Row> {
  readonly query: UseQueryResult<Data>
  /** What is being waited for, in words. */
  readonly loading: string
  readonly rows: (data: Data) => readonly Row[]
  /** In place of the list when there is no row. */
  readonly empty: ReactNode
  /** The page puts the offset into its address. */
  readonly onOffset: (offset: number) => void
  readonly children: (rows: readonly Row[]) => ReactNode
}

/** A page of a list on a card, with the way to the other pages. */
export function List<Data extends { readonly pagination: Pagination }, Row>(props: ListProps<Data, Row>) {
  const { query, loading, rows, empty, onOffset, children } = props
  return (
    <Loaded query={query} loading={loading}>
      {data =>
        rows(data).length === 0 ? (
          empty
        ) : (
          <>
            <Card flush>{children(rows(data))}</Card>
            <Pages pagination={data.pagination} onOffset={onOffset} />
          </>
        )
      }
    </Loaded>
  )
}
