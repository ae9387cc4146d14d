import { isDeepStrictEqual } from 'node:util'
import type { TSchema } from 'typebox'
import { closedSchema } from '../body/closed-schema.ts'

export type Json = { [keyword: string]: unknown }

/** Collects the schemas that have a title, so that the document names each once and refers to it everywhere else. */
export interface SchemaCollector {
  /** The form of a schema in the document: a reference when it has a title. */
  reference(schema: TSchema): Json
  /** As `reference`, for requests, where unknown fields are refused. */
  requestReference(schema: TSchema): Json
  readonly named: Json
}

export function collectSchemas(): SchemaCollector {
  const named: Json = {}
  return {
    reference: schema => referenceTo({ ...schema }, named),
    requestReference: schema => referenceTo(closedSchema(schema), named),
    named,
  }
}

function referenceTo(schema: Json, named: Json): Json {
  const { $id: _id, title, ...rest } = withReferences(schema, named)
  if (typeof title !== 'string') return rest
  const whole = { title, ...rest }
  const known = (named[title] ??= whole)
  const reference = { $ref: `#/components/schemas/${title}` }
  if (isDeepStrictEqual(known, whole)) return reference
  // A place may describe the schema in its own words. A copy that differs in more stays inline.
  const { description } = rest
  return isDeepStrictEqual({ ...Object(known), description }, whole) ? { ...reference, description } : whole
}

const SINGLE = ['items', 'additionalProperties', 'not'] as const
const LISTS = ['anyOf', 'oneOf', 'allOf', 'prefixItems'] as const

function withReferences(schema: Json, named: Json): Json {
  const copy: Json = { ...schema }
  const child = (value: unknown): unknown => (isSchema(value) ? referenceTo(value, named) : value)
  for (const keyword of SINGLE) if (isSchema(copy[keyword])) copy[keyword] = child(copy[keyword])
  for (const keyword of LISTS) if (Array.isArray(copy[keyword])) copy[keyword] = copy[keyword].map(child)
  if (isSchema(copy['properties'])) {
    copy['properties'] = Object.fromEntries(
      Object.entries(copy['properties']).map(([name, property]) => [name, child(property)]),
    )
  }
  return copy
}

function isSchema(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
