import { Stack } from '@mantine/core'
import type { UseQueryResult } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { ErrorNotice } from './error-notice.tsx'
import { Loading } from './loading.tsx'

interface LoadedProps<Data> {
  readonly query: UseQueryResult<Data>
  /** What is being waited for, in words. */
  readonly loading: string
  readonly children: (data: Data) => ReactNode
}

/** What was read, once it is there. A later failure is shown above what was read before, so nothing old looks new. */
export function Loaded<Data>({ query, loading, children }: LoadedProps<Data>) {
  const { data, error, refetch } = query
  if (error === null) return data === undefined ? <Loading>{loading}</Loading> : children(data)
  return (
    <Stack>
      <ErrorNotice error={error} onRetry={() => void refetch()} />
      {data !== undefined && children(data)}
    </Stack>
  )
}
