import { Ajv2020 } from 'ajv/dist/2020.js'
import { FORMATS, type Route, routes } from '../index.ts'

/** A schema as plain JSON, for looking into it. */
export interface Json {
  readonly type?: string | readonly string[]
  readonly properties?: Readonly<Record<string, Json>>
  readonly items?: Json
  readonly additionalProperties?: unknown
  readonly description?: string
  readonly examples?: readonly unknown[]
  readonly [keyword: string]: unknown
}

export interface Place {
  readonly name: string
  readonly schema: Json
}

export const table: readonly (readonly [string, Route])[] = Object.entries(routes)
export const bodyAjv = new Ajv2020({ strict: true, allowUnionTypes: true, allErrors: true, formats: FORMATS })
export const queryAjv = new Ajv2020({ strict: true, coerceTypes: true, formats: FORMATS })

export function plain(schema: unknown): Json {
  return JSON.parse(JSON.stringify(schema)) as Json
}

/** Every schema inside this one, itself first. */
export function inside(name: string, schema: Json): Place[] {
  const below = Object.entries(schema.properties ?? {}).flatMap(([key, property]) =>
    inside(`${name}.${key}`, property),
  )
  const items = schema.items === undefined ? [] : inside(`${name}[]`, schema.items)
  return [{ name, schema }, ...below, ...items]
}

function requestsOf([name, route]: readonly [string, Route]): Place[] {
  const parts = { params: route.params, query: route.query, body: route.body }
  return Object.entries(parts).flatMap(([part, schema]) =>
    schema === undefined ? [] : [{ name: `${name}.${part}`, schema: plain(schema) }],
  )
}

/** The params, query and body of every route. */
export const requests = table.flatMap(requestsOf)
