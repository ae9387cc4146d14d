import { type Api, type CallOptions, type Client, createClient, isBatuaError } from '@batua/sdk'
import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { createContext, use } from 'react'
import { noteRateLimit } from './rate-limit.ts'

/** The three consoles. Each calls with a session of its own kind. */
export type Session = 'owner' | 'platform' | 'admin'

const clients: Record<Session, Client> = {
  owner: clientOf('owner'),
  platform: clientOf('platform'),
  admin: clientOf('admin'),
}

/** The client of a console. `X-Session` says which of the browser's session cookies counts. */
export function clientOf(session: Session): Client {
  return createClient({
    baseUrl: location.origin,
    maxRetries: 2,
    fetch: async (input, init) => {
      const headers = new Headers(init?.headers)
      headers.set('x-session', session)
      const response = await fetch(input, { ...init, headers, credentials: 'same-origin' })
      if (session === 'platform') noteRateLimit(response.headers)
      return response
    },
  })
}

const SessionContext = createContext<Session>('owner')
export const SessionProvider = SessionContext.Provider

/** The console that a component is part of. */
export function useSession(): Session {
  return use(SessionContext)
}

export function useClient(): Client {
  return clients[useSession()]
}

export function clientFor(session: Session): Client {
  return clients[session]
}

export type Operation = keyof Api
export type InputOf<Name extends Operation> = NonNullable<Parameters<Api[Name]>[0]>
export type ResultOf<Name extends Operation> = Awaited<ReturnType<Api[Name]>>

/** Calls an operation by its name; the cast states what `Api` says of each method. */
export function callOperation<Name extends Operation>(
  client: Client,
  operation: Name,
  input: InputOf<Name>,
  options: CallOptions,
): Promise<ResultOf<Name>> {
  const method = client[operation] as (input: InputOf<Name>, options: CallOptions) => Promise<ResultOf<Name>>
  return method(input, options)
}

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
