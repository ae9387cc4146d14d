import { ERROR_STATUS, FORMATS, type Route, routes } from '@batua/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { request } from './src/api.ts'
import { at } from './src/documented.ts'
import type { Service } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'

interface Media {
  readonly schema: object
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>
}

interface Operation {
  readonly operationId: string
  readonly security?: readonly Readonly<Record<string, unknown>>[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly required: boolean }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>
}

let stage: Stage
let service: Service
let document: Record<string, unknown>

beforeAll(async () => {
  stage = await sharedStage()
  ;({ service } = stage)
  const reply = await request(service.address, 'GET', '/openapi.json')
  document = reply.body as Record<string, unknown>
})
afterAll(() => stage.close())

const table: Route[] = Object.values(routes)

function operationOf({ path, method }: Route): Operation | undefined {
  return at(document, ['paths', path, method.toLowerCase()]) as Operation | undefined
}

function operations(): Operation[] {
  return Object.values(document['paths'] as Record<string, Record<string, Operation>>).flatMap(Object.values)
}

describe('openapi.json', () => {
  test('is a valid OpenAPI 3.1 document', async () => {
    const result = await new Validator().validate(structuredClone(document))
    expect(result.errors ?? []).toEqual([])
    expect(result.valid).toBe(true)
    expect(document['openapi']).toMatch(/^3\.1\./)
    expect(document['info']).toMatchObject({ title: expect.any(String), version: expect.any(String) })
    expect(document['servers']).toEqual([{ url: service.address.replace('127.0.0.1', 'localhost') }])
  })

  test('describes every route of the contract, and no other', () => {
    const documented = operations().map(operation => operation.operationId)
    expect(documented.toSorted()).toEqual(table.map(route => route.operationId).toSorted())
  })

  test.each(table)('$operationId is served as documented', async route => {
    const operation = operationOf(route)
    const path = route.path.replaceAll(/\{\w+\}/g, 'x')
    const reply = await request(service.address, route.method, path)
    expect([reply.status, reply.text.includes('no such route')]).not.toEqual([404, true])
    expect(reply.status).not.toBe(405)
    expect(Object.keys(operation?.responses ?? {})).toContain(String(reply.status))
    const named = (operation?.parameters ?? []).filter(parameter => parameter.in !== 'header')
    const wanted = [
      ...Object.keys(route.params?.properties ?? {}),
      ...Object.keys(route.query?.properties ?? {}),
    ]
    expect(named.map(parameter => parameter.name)).toEqual(wanted)
    // A platform has a secret or a session.
    const alternatives = route.who.length + (route.who.includes('platform') ? 1 : 0)
    expect((operation?.security ?? []).length).toBe(alternatives)
  })

  test.each(table)('$operationId documents its success and every error that it may give', route => {
    const statuses = Object.keys(operationOf(route)?.responses ?? {})
    expect(statuses).toContain(String(route.status))
    for (const code of route.errors) expect(statuses).toContain(String(ERROR_STATUS[code]))
    expect(statuses).toContain('500')
    if (route.who.length > 0) expect(statuses).toContain('401')
    if (route.body) for (const status of ['400', '413', '415']) expect(statuses).toContain(status)
    if (route.method === 'POST') for (const status of ['409', '422']) expect(statuses).toContain(status)
  })

  test('has an example for every request and response, each valid by its schema', () => {
    const ajv = new Ajv2020({ strict: false, allErrors: true, formats: FORMATS })
    ajv.addSchema(document, 'openapi')
    const faults: string[] = []
    let checked = 0
    for (const [name, media] of operations().flatMap(mediaOf)) {
      const examples = Object.values(media.examples ?? {})
      if (examples.length === 0) faults.push(`${name}: no example`)
      const validate = ajv.compile(absolute(media.schema))
      for (const { value } of examples) {
        checked++
        if (!validate(value)) faults.push(`${name}: ${ajv.errorsText(validate.errors)}`)
      }
    }
    expect(faults).toEqual([])
    expect(checked).toBeGreaterThan(table.length)
  })
})

/** The body and the successful responses of an operation, by name. */
function mediaOf(operation: Operation): [string, Media][] {
  const bodies = Object.entries(operation.requestBody?.content ?? {}).map(
    ([type, media]): [string, Media] => [`${operation.operationId} body ${type}`, media],
  )
  const responses = Object.entries(operation.responses)
    .filter(([status]) => status.startsWith('2'))
    .flatMap(([status, { content = {} }]) =>
      Object.entries(content).map(([type, media]): [string, Media] => [
        `${operation.operationId} ${status} ${type}`,
        media,
      ]),
    )
  return [...bodies, ...responses]
}

/** A schema whose references are looked up in the document. */
function absolute(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"openapi#/')) as object
}
