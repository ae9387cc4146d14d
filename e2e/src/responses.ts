import { ErrorEnvelope, FORMATS, type Route } from '@batua/contract'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'

const ajv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS })
const known = new Map<string, ValidateFunction>()

/** The fault of a response by its route's schema; null if it is valid and has no unknown field. */
export function faultOf(route: Route, body: unknown, status: number = route.status): string | null {
  const { operationId, response, waiting } = route
  if (waiting === undefined || status === route.status) return schemaFaultOf(operationId, response, body)
  return schemaFaultOf(`${operationId} waiting`, waiting, body)
}

/** The same of an error's envelope. */
export function envelopeFaultOf(body: unknown): string | null {
  return schemaFaultOf('error', ErrorEnvelope, body)
}

/** The same of anything that a schema of the contract describes; the name identifies the schema. */
export function schemaFaultOf(name: string, schema: unknown, body: unknown): string | null {
  const validate = known.get(name) ?? ajv.compile(closed(plain(schema)))
  known.set(name, validate)
  return validate(body) ? null : `${name}: ${ajv.errorsText(validate.errors)} in ${JSON.stringify(body)}`
}

interface Json {
  readonly properties?: Readonly<Record<string, Json>>
  readonly items?: Json
  readonly [keyword: string]: unknown
}

function plain(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json
}

/** Responses are documented as open, so that fields can be added; an undocumented field is a fault here. */
function closed(schema: Json): Json {
  const properties = Object.entries(schema.properties ?? {}).map(([name, property]) => [
    name,
    closed(property),
  ])
  return {
    ...schema,
    ...(schema.properties && { properties: Object.fromEntries(properties), additionalProperties: false }),
    ...(schema.items && { items: closed(schema.items) }),
  }
}
