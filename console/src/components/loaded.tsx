import { Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { Loading } from './loading.tsx'
import { lastOffset, ToLastPage } from './pages.tsx'

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>
  /** What is being waited for, in words. */
  readonly loading: string
  /** The search parameter with the offset of a list, which is `offset` if absent. */
  readonly offsetIn?: string
  readonly children: (data: Data) => ReactNode
}

/**
 * What was read, once it is there. A later failure is shown above what was read before, so nothing old looks new. An address
 * beyond the end of a list leads to its last page: the rows there may have been the last ones when they went.
 */
export function Loaded<Data>({ query, loading, offsetIn = 'offset', children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  const last = lastOffset(data)
  if (last !== null)
    return (
      <ToLastPage offset={last} offsetIn={offsetIn}>
        {loading}
      </ToLastPage>
    )
  if (error === null) return data === undefined ? <Loading>{loading}</Loading> : children(data)
  return (
    <Stack>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data !== undefined && children(data)}
    </Stack>
  )
}
