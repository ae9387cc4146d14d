import { isBatuaError } from '@batua/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import type { Session } from './api.tsx'

const FRESH_MS = 5_000

/** What was read, shared by all components. `onSessionOver` is called when the service no longer knows the session. */
export function createQueryClient(onSessionOver: (session: Session) => void): QueryClient {
  const look = (error: Error, session: Session) => {
    if (isBatuaError(error) && error.status === 401) onSessionOver(session)
  }
  return new QueryClient({
    defaultOptions: {
      // The sdk repeats what is safe to repeat. Without a network a request fails with words instead of waiting silently.
      queries: { staleTime: FRESH_MS, retry: false, networkMode: 'always' },
      mutations: { retry: false, networkMode: 'always' },
    },
    queryCache: new QueryCache({ onError: (error, { queryKey }) => look(error, queryKey[0] as Session) }),
    mutationCache: new MutationCache({
      onError: (error, _input, _result, { meta }) => {
        if (meta !== undefined) look(error, meta['session'] as Session)
      },
    }),
  })
}
