import { isEventStream, type Route, routes } from '@batua/contract'
import { plain, type Schema } from './schema-types.ts'

/** A route as a method of the client: its path parameters, query and body are one input. */
export interface Operation {
  readonly name: string
  readonly route: Route
  /** null: it has no input. */
  readonly input: Schema | null
  /** Whether some of the input is required. */
  readonly needsInput: boolean
  /** Fields of the query, if the rest of the input is the body. */
  readonly queryNames: readonly string[]
  /** The input that is the whole body, if a route accepts any body. */
  readonly rawBody: boolean
  readonly response: Schema
  /** Its response is a file in one of several formats, JSON among them. */
  readonly isDownload: boolean
  /** Its response if the owner has to approve first; null: it never waits. */
  readonly waiting: Schema | null
}

const METHODS_WITH_BODY: readonly string[] = ['POST', 'PATCH']
const RAW_BODY = 'body'

export function operations(): Operation[] {
  // A browser's EventSource follows events.
  return Object.values<Route>(routes)
    .filter(route => !isEventStream(route))
    .map(operationOf)
}

function operationOf(route: Route): Operation {
  const { operationId: name } = route
  const rawBody = route.body !== undefined && plain(route.body).properties === undefined
  const body = rawBody
    ? { properties: { [RAW_BODY]: plain(route.body) }, required: [RAW_BODY] }
    : plain(route.body)
  const query = plain(route.query)
  const input = merged(name, [plain(route.params), query, withoutNames(body, query)])
  const response = plain(route.response)
  assertResponse(name, response, query)
  return {
    name,
    route,
    input: Object.keys(input.properties).length === 0 ? null : input,
    needsInput: input.required.length > 0,
    queryNames: METHODS_WITH_BODY.includes(route.method) ? Object.keys(query.properties ?? {}) : [],
    rawBody,
    response,
    isDownload: route.produces !== undefined,
    waiting: route.waiting === undefined ? null : plain(route.waiting),
  }
}

/** The client sends in the query what both the query and the body accept. */
function withoutNames(body: Schema, { properties: taken = {} }: Schema): Schema {
  const own = Object.entries(body.properties ?? {}).filter(([field]) => !(field in taken))
  return { ...body, properties: Object.fromEntries(own) }
}

function merged(name: string, parts: readonly Schema[]) {
  const fields = parts.flatMap(part => Object.entries(part.properties ?? {}))
  const properties = Object.fromEntries(fields)
  if (Object.keys(properties).length < fields.length)
    throw new Error(`${name} has one name twice among its path, query and body`)
  return { properties, required: parts.flatMap(part => part.required ?? []) }
}

/** The client parses every response as a JSON object and pages through every list in the same way. */
function assertResponse(name: string, { properties }: Schema, query: Schema): void {
  if (properties === undefined) throw new Error(`${name} returns no JSON object`)
  if (!('pagination' in properties)) return
  const arrays = Object.values(properties).filter(({ type }) => type === 'array')
  if (arrays.length !== 1 || query.properties?.['cursor'] === undefined)
    throw new Error(`${name} is no list of one kind with a cursor`)
}
