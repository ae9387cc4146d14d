import { type Api, type CallOptions, type Client, createClient } from '@batua/sdk'
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
