import { expect, describe as group, test } from 'vitest'
import * as contract from './index.ts'
import { ERROR_STATUS, EVENTS, EXAMPLE_NAMES, TAG_GROUPS, TAGS, WebhookBody } from './index.ts'
import { bodyAjv, inside, type Json, type Place, plain, requests, table } from './testing/schemas.ts'

/** The same schema with every object closed, so that a misspelt field of an example is found. */
function closed(schema: Json): Json {
  const properties = Object.fromEntries(
    Object.entries(schema.properties ?? {}).map(([key, property]) => [key, closed(property)]),
  )
  return {
    ...schema,
    ...(schema.properties && { properties, additionalProperties: false }),
    ...(schema.items && { items: closed(schema.items) }),
  }
}

function messagesOf(places: readonly { name: string; schema: Json; example: unknown }[]): string[] {
  return places.flatMap(({ name, schema, example }) => {
    const validate = bodyAjv.compile(closed(schema))
    return validate(example) ? [] : [`${name}: ${bodyAjv.errorsText(validate.errors)}`]
  })
}

function examplesOf({ name, schema }: Place) {
  return inside(name, schema).flatMap(place =>
    (place.schema.examples ?? []).map(example => ({ ...place, example })),
  )
}

const responses: Place[] = table.map(([name, route]) => ({
  name: `${name}.response`,
  schema: plain(route.response),
}))

const otherRecords: Place[] = Object.entries(contract)
  .filter(([, value]) => typeof value === 'object' && 'properties' in value)
  .map(([name, schema]) => ({ name, schema: plain(schema) }))

group('the route table', () => {
  test('every key of the route table is its route’s operationId', () => {
    expect(table.map(([, route]) => route.operationId)).toEqual(table.map(([key]) => key))
  })

  test('no two routes have the same method and path', () => {
    const addresses = table.map(([, route]) => `${route.method} ${route.path.replaceAll(/\{[^}]+\}/g, '{}')}`)
    expect(new Set(addresses).size).toBe(addresses.length)
  })

  test('the parameters of every path are exactly those with a schema', () => {
    for (const [, route] of table) {
      const named = [...route.path.matchAll(/\{([^}]+)\}/g)].map(match => match[1])
      expect(Object.keys(route.params?.properties ?? {}), route.operationId).toEqual(named)
      expect(route.params?.required ?? [], route.operationId).toEqual(named)
    }
  })

  test('every route names known kinds of credentials, each once', () => {
    for (const [, route] of table) {
      expect(new Set(route.who).size, route.operationId).toBe(route.who.length)
      for (const kind of route.who) expect(['platform', 'agent', 'owner', 'admin']).toContain(kind)
    }
  })

  test('every route has a summary, a description and only known error codes', () => {
    for (const [, route] of table) {
      expect(route.summary.length, route.operationId).toBeGreaterThan(5)
      expect(route.description?.length ?? 0, route.operationId).toBeGreaterThan(20)
      for (const code of route.errors) expect(Object.keys(ERROR_STATUS)).toContain(code)
    }
  })

  test('every tag of a route has a description, and every described tag has a route', () => {
    expect(new Set(Object.keys(TAGS))).toEqual(new Set(table.map(([, route]) => route.tag)))
  })

  test('every tag is in exactly one group of the reference page', () => {
    const grouped = Object.values(TAG_GROUPS).flatMap(group => Object.keys(group))
    expect(grouped).toEqual(Object.keys(TAGS))
    expect(new Set(grouped).size).toBe(grouped.length)
  })

  test('no GET or DELETE route has a body', () => {
    const bodies = table.filter(([, route]) => route.body && ['GET', 'DELETE'].includes(route.method))
    expect(bodies).toEqual([])
  })
})

group('documentation', () => {
  test('every property of every schema has a description', () => {
    const places = [...requests, ...responses, ...otherRecords].flatMap(({ name, schema }) =>
      inside(name, schema),
    )
    const silent = places.flatMap(({ name, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([, property]) => !property.description)
        .map(([key]) => `${name}.${key}`),
    )
    expect(silent).toEqual([])
  })

  test('every body, response, record and parameter has an example', () => {
    const whole = [...requests.filter(place => place.name.endsWith('.body')), ...responses, ...otherRecords]
    expect(whole.filter(({ schema }) => !schema.examples?.length).map(({ name }) => name)).toEqual([])
    const parameters = requests
      .filter(place => !place.name.endsWith('.body'))
      .flatMap(({ name, schema }) => inside(name, schema).slice(1))
    expect(parameters.filter(({ schema }) => !schema.examples?.length).map(({ name }) => name)).toEqual([])
  })

  test('several examples of one body or response have different names', () => {
    const several = [...requests, ...responses].filter(
      ({ name, schema }) => /\.(body|response)$/.test(name) && (schema.examples?.length ?? 0) > 1,
    )
    const titles = several.map(({ schema }) => String(schema['title']))
    expect(new Set(Object.keys(EXAMPLE_NAMES))).toEqual(new Set(titles))
    for (const { name, schema } of several) {
      const names = EXAMPLE_NAMES[String(schema['title'])] ?? []
      expect([name, new Set(names).size, names.length]).toEqual([name, names.length, schema.examples?.length])
    }
  })

  test('every example is valid for its schema and has no unknown field', () => {
    const examples = [...requests, ...responses, ...otherRecords].flatMap(examplesOf)
    expect(examples.length).toBeGreaterThan(300)
    expect(messagesOf(examples)).toEqual([])
  })

  test('the example of a webhook contains the data of its event', () => {
    const examples = plain(WebhookBody).examples as WebhookBody[]
    const data = examples.map(({ event, data }) => ({
      name: event,
      schema: plain(EVENTS[event]),
      example: data,
    }))
    expect(data.length).toBeGreaterThan(0)
    expect(messagesOf(data)).toEqual([])
  })
})

group('secrets', () => {
  test('secrets are returned only by the routes that make them, and are null in a replayed response', () => {
    const secret = /(_secret|_key)$/
    const shown = responses.flatMap(({ name, schema }) =>
      Object.entries(schema.properties ?? {})
        .filter(([key]) => secret.test(key) && !/(?:public|voucher)_key$/.test(key))
        .map(([key, property]) => `${name}.${key} ${JSON.stringify(property.type)}`),
    )
    expect(shown).toEqual([
      'createPlatform.response.platform_secret ["string","null"]',
      'createPlatform.response.webhook_secret ["string","null"]',
      'rotatePlatformSecret.response.platform_secret ["string","null"]',
      'rotateWebhookSecret.response.webhook_secret ["string","null"]',
      'createAgent.response.agent_key ["string","null"]',
      'rotateAgentKey.response.agent_key ["string","null"]',
    ])
  })
})
