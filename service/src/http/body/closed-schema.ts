import type { TSchema } from 'typebox'

type Node = { [keyword: string]: unknown }

/** Keywords that hold one schema, a list of schemas, or schemas by name. */
const SINGLE = ['items', 'additionalProperties', 'not', 'contains', 'propertyNames'] as const
const LISTS = ['anyOf', 'oneOf', 'prefixItems'] as const

const copies = new WeakMap<TSchema, Node>()

/**
 * A copy in which every object is closed unless it says otherwise: an unknown field of a request is an error, and an
 * unknown field of a response would be dropped. Parts of an `allOf` stay open, since each of them checks the whole. The
 * same schema gets the same copy, because Ajv compiles each object once.
 */
export function closedSchema(schema: TSchema): Node {
  const known = copies.get(schema)
  if (known !== undefined) return known
  const copy = closed({ ...schema })
  copies.set(schema, copy)
  return copy
}

function closed(node: Node): Node {
  const copy: Node = { ...node }
  delete copy['$id']
  for (const keyword of SINGLE) if (isNode(copy[keyword])) copy[keyword] = closed(copy[keyword])
  for (const keyword of LISTS)
    if (Array.isArray(copy[keyword])) copy[keyword] = copy[keyword].map(closedIfNode)
  if (isNode(copy['properties'])) {
    const entries = Object.entries(copy['properties']).map(([name, child]) => [name, closedIfNode(child)])
    copy['properties'] = Object.fromEntries(entries)
    if (copy['additionalProperties'] === undefined) copy['additionalProperties'] = false
  }
  if (Array.isArray(copy['allOf']) && copy['unevaluatedProperties'] === undefined) {
    copy['unevaluatedProperties'] = false
  }
  return copy
}

function closedIfNode(value: unknown): unknown {
  return isNode(value) ? closed(value) : value
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
