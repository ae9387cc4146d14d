import { type OperationId, type Route, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { errorOf, type Sent } from './src/api.ts'
import { idsIn, kindFor, ownHeaders, PREFIX } from './src/route-table.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { VALID_CALLS } from './src/valid-calls.ts'
import { openWorld, type World } from './src/world.ts'

const table = Object.entries(routes) as [OperationId, Route][]
const SUFFIX = '01kb7q3f8meg5tz4x9wc2n6a77'
/** An id of any kind, well-formed. */
const AN_ID = /^([a-z]{2,4})_[0-7][0-9a-hjkmnp-tv-z]{25}$/

let stage: Stage
let world: World

beforeAll(async () => {
  stage = await sharedStage()
  world = await openWorld(stage.api)
})
afterAll(() => stage.close())

function validCall(operation: OperationId, route: Route): Sent {
  const kind = kindFor(route, 'platform')
  const headers = kind === null ? {} : ownHeaders(world, operation, kind)
  return { ...VALID_CALLS[operation](world), headers }
}

/** Texts that cannot be an id of this kind. */
function malformed(prefix: string): string[] {
  return [
    'x',
    'me2',
    '0',
    'null',
    ' ',
    'ünï',
    `${prefix}_`,
    `${prefix}_${SUFFIX}x`,
    `${prefix}_${SUFFIX.slice(1)}`,
    `${prefix}_8${SUFFIX.slice(1)}`,
    `${prefix}_${SUFFIX.toUpperCase()}`,
    `${prefix}_${SUFFIX.replace('q', 'u')}`,
    `${prefix === 'own' ? 'agt' : 'own'}_${SUFFIX}`,
    SUFFIX,
    '018f2a6c-1111-7000-8000-000000000001',
    `${prefix}_${SUFFIX}`.repeat(5),
    'a'.repeat(200),
  ]
}

/** If an agent may be named by its handle too, a text that is not an id is an unknown handle. */
function takesHandles(schema: unknown, field: string): boolean {
  const { properties } = schema as { readonly properties: Readonly<Record<string, { pattern?: string }>> }
  return properties[field]?.pattern === undefined
}

describe('a malformed id in a path', () => {
  test.each(table.filter(([, route]) => idsIn(route).length > 0))(
    'of %s gets the same response as an unknown id',
    async (operation, route) => {
      for (const name of idsIn(route)) {
        const prefix = PREFIX[name] ?? ''
        const responseTo = async (id: string) => {
          const call = validCall(operation, route)
          const reply = await stage.api.send(route, { ...call, params: { ...call.params, [name]: id } })
          // Some public routes report whether it exists.
          return [reply.status, reply.status < 400 ? null : errorOf(reply).code]
        }
        const unknown = await responseTo(`${prefix}_${SUFFIX}`)
        expect([200, 403, 404], `${operation} ${name}`).toContain(unknown[0])
        for (const id of malformed(prefix)) expect([id, ...(await responseTo(id))]).toEqual([id, ...unknown])
      }
    },
  )
})

describe('a malformed id in a query or a body', () => {
  const places = table.flatMap(([operation, route]) => [
    ...(route.query === undefined ? [] : ([[operation, route, 'query']] as const)),
    ...(route.body === undefined ? [] : ([[operation, route, 'body']] as const)),
  ])

  test.each(places)('of %s is a validation error that names the field', async (operation, route, place) => {
    const valid = validCall(operation, route)
    const given = (valid[place] ?? {}) as Record<string, unknown>
    for (const [field, value] of Object.entries(given)) {
      const [, prefix] = typeof value === 'string' ? (AN_ID.exec(value) ?? []) : []
      if (prefix === undefined || takesHandles(route[place], field)) continue
      for (const id of [
        `${prefix}_`,
        `${prefix}_${SUFFIX}x`,
        `${prefix}_${SUFFIX.toUpperCase()}`,
        `x_${SUFFIX}`,
      ]) {
        const call = { ...validCall(operation, route), [place]: { ...given, [field]: id } }
        const reply = await stage.api.send(route, call)
        const { code, field: named } = errorOf(reply)
        expect([id, reply.status, code, named]).toEqual([id, 400, 'validation_error', field])
      }
    }
  })
})
