import { type UseQueryResult, useQuery } from '@tanstack/react-query'
import {
  callOperation,
  type InputOf,
  type Operation,
  type ResultOf,
  type Session,
  useClient,
  useSession,
} from './api.tsx'

interface ReadOptions {
  /** Read again after so many milliseconds while the page is seen. */
  readonly everyMs?: number
  readonly enabled?: boolean
}

/** What a GET operation returns, kept up to date: `useRead('listAgents', { status: 'active' })`. */
export function useRead<Name extends Operation>(
  operation: Name,
  input: InputOf<Name>,
  { everyMs, enabled = true }: ReadOptions = {},
): UseQueryResult<ResultOf<Name>> {
  const client = useClient()
  return useQuery({
    queryKey: readKey(useSession(), operation, input),
    queryFn: ({ signal }) => callOperation(client, operation, input, { signal }),
    refetchInterval: everyMs ?? false,
    enabled,
  })
}

export function readKey<Name extends Operation>(session: Session, operation: Name, input: InputOf<Name>) {
  return [session, operation, input] as const
}
