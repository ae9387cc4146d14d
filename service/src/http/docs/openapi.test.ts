import { EVENT_NAMES, FORMATS, type Route, route, routes } from '@batua/contract'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { openApiDocument } from './openapi.ts'

const INFO = { title: 'Batua', version: '1.0.0', description: 'Wallets', serverUrl: 'https://example.com' }

const make = (...served: Route[]) =>
  JSON.parse(
    JSON.stringify(
      openApiDocument(
        served.map(one => ({ route: one, counted: true })),
        INFO,
      ),
    ),
  )

const order = route({
  operationId: 'order',
  method: 'POST',
  path: '/v1/orders/{shop}',
  tag: 'Orders',
  summary: 'Order',
  who: ['platform', 'agent'],
  params: Type.Object({ shop: Type.String({ description: 'Where', examples: ['s1'] }) }),
  query: Type.Object({ times: Type.Optional(Type.Integer()) }),
  body: Type.Object({ amount: Type.Number() }, { title: 'OrderRequest', examples: [{ amount: 1 }] }),
  status: 201,
  response: Type.Object(
    { id: Type.String() },
    { title: 'Order', description: 'The order.', examples: [{ id: 'o1' }] },
  ),
  errors: ['conflict'],
})

test('the document of the whole contract is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(make(...Object.values<Route>(routes)))
  expect(result).toMatchObject({ valid: true })
})

test('the document has every route under its address and method', () => {
  const document = make(...Object.values<Route>(routes))
  const operations = Object.values<Record<string, { operationId: string }>>(document.paths).flatMap(
    Object.values,
  )
  const found = new Set(operations.map(operation => operation.operationId))
  expect(found).toEqual(new Set(Object.values<Route>(routes).map(one => one.operationId)))
})

test('tags are grouped, and each is in one group', () => {
  const document = make(...Object.values<Route>(routes))
  const names = document.tags.map((tag: { readonly name: string }) => tag.name)
  const groups: { readonly name: string; readonly tags: readonly string[] }[] = document['x-tagGroups']
  expect(groups.length).toBeGreaterThan(3)
  expect(groups.flatMap(group => group.tags)).toEqual(names)
  expect(make(order)['x-tagGroups']).toEqual([])
})

/** What Redocly's recommended rules ask of an operation beyond a valid document. */
test('every operation and every webhook has a name of its own, a summary, credentials and a 4xx response', () => {
  const { info, paths, webhooks, tags } = make(...Object.values<Route>(routes))
  const operations = [paths, webhooks].flatMap(items => Object.values<object>(items)).flatMap(Object.values)
  const names = operations.map(operation => operation.operationId)
  expect(names.filter(name => !/^[a-z][A-Za-z0-9]+$/.test(name))).toEqual([])
  expect(new Set(names).size).toBe(names.length)
  const faulty = operations.filter(
    ({ summary, security, responses }) =>
      !summary || !Array.isArray(security) || !Object.keys(responses).some(status => status.startsWith('4')),
  )
  expect(faulty.map(operation => operation.operationId)).toEqual([])
  expect(tags.filter((tag: { readonly description?: string }) => !tag.description)).toEqual([])
  expect(info.license).toMatchObject({ name: expect.any(String), identifier: expect.any(String) })
})

test('the document has every event with its whole body, whose example is valid for it and for no other event', () => {
  const document = make(...Object.values<Route>(routes))
  expect(Object.keys(document.webhooks)).toEqual(EVENT_NAMES)
  const ajv = new Ajv2020({ strict: false, formats: FORMATS })
  ajv.addSchema(document, 'openapi')
  const fits = (event: string, body: unknown): boolean => {
    const place = `webhooks/${event}/post/requestBody/content/application~1json/schema`
    return ajv.getSchema(`openapi#/${place}`)?.(body) === true
  }
  for (const event of EVENT_NAMES) {
    const { examples } = document.webhooks[event].post.requestBody.content['application/json']
    const body = examples.example.value
    expect(EVENT_NAMES.filter(name => fits(name, body))).toEqual([event])
    expect(fits(event, { ...body, data: {} })).toBe(false)
  }
})

test('an operation has its credentials, parameters, bodies with examples, and every error', () => {
  const { paths, components } = make(order)
  const operation = paths['/v1/orders/{shop}'].post
  expect(operation.security).toEqual([
    { platformId: [], platformSecret: [] },
    { platformSession: [] },
    { agentKey: [] },
  ])
  expect(operation.parameters).toMatchObject([
    {
      name: 'shop',
      in: 'path',
      required: true,
      description: 'Where',
      example: 's1',
      schema: { type: 'string' },
    },
    { name: 'times', in: 'query', required: false, schema: { type: 'integer' } },
    { name: 'Idempotency-Key', in: 'header' },
  ])
  expect(operation.requestBody.content['application/json']).toEqual({
    schema: { $ref: '#/components/schemas/OrderRequest' },
    examples: { example: { value: { amount: 1 } } },
  })
  expect(components.schemas.OrderRequest.additionalProperties).toBe(false)
  expect(operation.responses['201'].content['application/json'].schema).toEqual({
    $ref: '#/components/schemas/Order',
  })
  expect(Object.keys(operation.responses)).toEqual([
    '201',
    '400',
    '401',
    '409',
    '413',
    '415',
    '422',
    '429',
    '500',
    '503',
  ])
  expect(operation.responses['409'].description).toBe('`conflict`, `idempotency_error`')
  expect(operation.responses['429'].headers).toHaveProperty('Retry-After')
})

test('a public route needs no credential', () => {
  const { paths } = make({ ...order, who: [] })
  expect(paths['/v1/orders/{shop}'].post.security).toEqual([])
})

test.each([
  [['owner'], 'POST', true],
  [['agent', 'admin'], 'DELETE', true],
  [['owner', 'admin'], 'GET', false],
  [['platform', 'agent'], 'POST', false],
  [[], 'POST', false],
] as const)('a route of %j by %s documents the refusal of other sites: %s', (who, method, expected) => {
  const { paths } = make({ ...order, who, method })
  const refused = paths['/v1/orders/{shop}'][method.toLowerCase()].responses['403']
  expect(refused !== undefined).toBe(expected)
  if (!expected) return
  const { examples } = refused.content['application/json']
  expect(Object.keys(examples)).toEqual(['authorization_error'])
  expect(examples.authorization_error.value.error.message).toContain('Origin')
})

test('where a credential can be of the wrong person too, both refusals have their example', () => {
  const { paths } = make({ ...order, who: ['owner'], errors: ['authorization_error'] })
  const { examples } = paths['/v1/orders/{shop}'].post.responses['403'].content['application/json']
  expect(Object.keys(examples)).toEqual(['authorization_error', 'cross_site'])
  expect(examples.authorization_error.value.error.message).toBe('This credential may not act for this agent')
  expect(examples.cross_site.value.error.message).toContain('Origin')
})

test('the login routes document the refusal of other sites', () => {
  const { paths } = make(...Object.values<Route>(routes))
  for (const base of ['/v1/auth', '/v1/admin/auth']) {
    for (const path of [`${base}/send-otp`, `${base}/verify-otp`]) {
      const { examples } = paths[path].post.responses['403'].content['application/json']
      expect(examples.authorization_error.value.error.message).toContain('Origin')
    }
  }
})

test('the cookie schemes document what a change needs in addition', () => {
  const { securitySchemes } = make(order).components
  for (const name of ['ownerSession', 'adminSession']) {
    expect(securitySchemes[name].description).toContain('`Origin`')
    expect(securitySchemes[name].description).toContain('`Sec-Fetch-Site: same-origin`')
  }
})

test('a schema whose title belongs to a different one stays inline', () => {
  const other = {
    ...order,
    path: '/v1/other',
    response: Type.Object({ n: Type.Integer() }, { title: 'Order' }),
  }
  const { paths, components } = make(order, other)
  expect(components.schemas.Order.properties).toHaveProperty('id')
  const { schema } = paths['/v1/other'].post.responses['201'].content['application/json']
  expect(schema.properties).toHaveProperty('n')
})
