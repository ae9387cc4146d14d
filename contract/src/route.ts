import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './codes.ts'

/**
 * Who may call a route (contract, section 2).
 * `platform` P, `agent` A, `owner` S (owner session), `admin` M, `public` none. `any` credential is all four named.
 */
export type Credential = 'platform' | 'agent' | 'owner' | 'admin'

/** What a response may be that is sent as a stream. */
export type MediaType = 'application/json' | 'text/csv' | 'application/pdf' | 'text/event-stream'

/** One HTTP route: the only definition of its address, credentials, request and response bodies. */
export interface Route<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** The path, with `{name}` for parameters, as in OpenAPI. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** The accepted kinds of credentials; empty: public. */
  readonly who: readonly Credential[]
  readonly params?: Params
  readonly query?: Query
  /** Absent: the route has no body (an empty one or `{}` is accepted). A body without required fields is optional. */
  readonly body?: Body
  readonly status: 200 | 201
  readonly response: Response
  /**
   * The media types of the response, which is then sent as a stream; absent: a JSON object. With JSON among them,
   * `response` describes the JSON, and the field `format` of the query chooses.
   */
  readonly produces?: readonly MediaType[]
  readonly responseDescription?: string
  /** A person with a passkey has to confirm what it does, or what it raises, by the header `X-Step-Up`. */
  readonly stepUp?: true
  /** The 200 response of a route that creates with 201, if the owner has to approve first. */
  readonly waiting?: TSchema
  /** The errors specific to this route. The OpenAPI document adds those of every route. */
  readonly errors: readonly ErrorCode[]
}

type SchemaOr<T, Fallback> = T extends TSchema ? Static<T> : Fallback

export type ParamsOf<R extends Route> = SchemaOr<R['params'], Record<string, never>>
export type QueryOf<R extends Route> = SchemaOr<R['query'], Record<string, never>>
export type BodyOf<R extends Route> = SchemaOr<R['body'], undefined>
export type ResponseOf<R extends Route> = Static<R['response']> | SchemaOr<R['waiting'], never>

/** Whether the response of a route stays open: a stream of events, which has no end of its own. */
export function isEventStream({ produces }: Pick<Route, 'produces'>): boolean {
  return produces?.includes('text/event-stream') ?? false
}

/** Declares a route. The identity function, for its types. */
export function route<const R extends Route>(definition: R): R {
  return definition
}
