import type { Static, TObject, TSchema } from 'typebox'
import type { ErrorCode } from './errors.ts'

/**
 * Who may call a route (contract, section 2).
 * `platform` P, `agent` A, `owner` S (owner session), `admin` M, `public` none. `any` credential is all four named.
 */
export type Credential = 'platform' | 'agent' | 'owner' | 'admin'

/** One HTTP route: the only definition of its address, credentials, request and response bodies. */
export interface Route<
  Params extends TObject = TObject,
  Query extends TObject = TObject,
  Body extends TSchema = TSchema,
  Response extends TSchema = TSchema,
> {
  readonly operationId: string
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  /** Address with `{name}` for parameters, as OpenAPI writes it. */
  readonly path: string
  readonly tag: string
  readonly summary: string
  readonly description?: string
  /** Kinds of credential that it takes; empty: public. */
  readonly who: readonly Credential[]
  readonly params?: Params
  readonly query?: Query
  /** Absent: the route takes no body (an empty one or `{}` passes). A POST that needs no field of it may leave it out. */
  readonly body?: Body
  readonly status: 200 | 201
  readonly response: Response
  readonly responseDescription?: string
  /** The 200 response of a route that creates with 201, when the owner has to approve first. */
  readonly waiting?: TSchema
  /** The errors special to this route; those that every route may give are added where OpenAPI is made. */
  readonly errors: readonly ErrorCode[]
}

type SchemaOr<T, Fallback> = T extends TSchema ? Static<T> : Fallback

export type ParamsOf<R extends Route> = SchemaOr<R['params'], Record<string, never>>
export type QueryOf<R extends Route> = SchemaOr<R['query'], Record<string, never>>
export type BodyOf<R extends Route> = SchemaOr<R['body'], undefined>
export type ResponseOf<R extends Route> = Static<R['response']> | SchemaOr<R['waiting'], never>

/** Declares a route; the identity function, there for its types. */
export function route<const R extends Route>(definition: R): R {
  return definition
}
