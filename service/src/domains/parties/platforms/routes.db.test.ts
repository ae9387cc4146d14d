import { expect } from 'vitest'
import { database } from '../../../testing/database-test.ts'
import {
  AS_ADMIN,
  ask,
  network,
  signUp,
  signUpAgent,
  signUpOwner,
  startNetworkServer,
  test,
} from '../../../testing/network-server.ts'

test('anyone can create a platform, and its two secrets are shown only then', async () => {
  const created = await ask(
    'POST',
    '/v1/platforms',
    {},
    { name: 'Example', webhook_url: 'https://example.com/hook' },
  )
  expect(created).toMatchObject({
    status: 201,
    body: {
      name: 'Example',
      email: null,
      status: 'active',
      webhook_url: 'https://example.com/hook',
      platform_secret: expect.stringMatching(/^sk_live_/),
      webhook_secret: expect.stringMatching(/^whsec_/),
    },
  })
  const id = String(created.body['platform_id'])
  const headers = { 'x-platform-id': id, 'x-platform-secret': String(created.body['platform_secret']) }
  const read = await ask('GET', `/v1/platforms/${id}`, headers)
  expect(read.status).toBe(200)
  expect(read.body).not.toHaveProperty('platform_secret')
  expect(read.body).not.toHaveProperty('webhook_secret')
})

test('while sign-up is closed, only an administrator can create a platform', async () => {
  const closed = await startNetworkServer(database, { signupOpen: false })
  const { headers } = await signUp(network)
  for (const credential of [{}, headers]) {
    const refused = await closed.ask('POST', '/v1/platforms', credential, { name: 'Example' })
    expect(refused).toMatchObject({
      status: 401,
      body: {
        error: { code: 'authentication_error', message: expect.stringContaining('administrator session') },
      },
    })
  }
  const made = await closed.ask('POST', '/v1/platforms', AS_ADMIN, { name: 'Example' })
  expect(made).toMatchObject({ status: 201, body: { name: 'Example', status: 'active' } })
  await closed.server.close()
})

test('an administrator can read, change and delete any platform, and can only read a deleted one', async () => {
  const { id, headers } = await signUp(network)
  const path = `/v1/platforms/${id}`
  expect((await ask('PATCH', path, AS_ADMIN, { name: 'Renamed' })).body['name']).toBe('Renamed')
  const rotated = await ask('POST', `${path}/rotate-secret`, AS_ADMIN)
  expect((await ask('GET', path, headers)).status).toBe(401)
  const fresh = { ...headers, 'x-platform-secret': String(rotated.body['platform_secret']) }
  expect((await ask('GET', path, fresh)).status).toBe(200)
  const agent = await signUpAgent(network, fresh, await signUpOwner(network, fresh))
  expect((await ask('DELETE', path, AS_ADMIN)).body['status']).toBe('deleted')
  expect((await ask('GET', '/v1/agents/me', agent.headers)).status).toBe(401)
  expect(await ask('GET', path, AS_ADMIN)).toMatchObject({
    status: 200,
    body: { name: 'Renamed', status: 'deleted' },
  })
  expect((await ask('DELETE', path, AS_ADMIN)).body['status']).toBe('deleted')
  for (const [method, url, body] of [
    ['PATCH', path, { name: 'Again' }],
    ['POST', `${path}/rotate-secret`, undefined],
    ['POST', `${path}/rotate-webhook-secret`, undefined],
  ] as const) {
    expect(await ask(method, url, AS_ADMIN, body)).toMatchObject({
      status: 409,
      body: { error: { code: 'conflict' } },
    })
  }
  expect((await ask('GET', '/v1/platforms/plt_none', AS_ADMIN)).status).toBe(404)
})

test('in live mode a webhook URL must be https', async () => {
  const live = await startNetworkServer(database, { mode: 'live' })
  const refused = await live.ask(
    'POST',
    '/v1/platforms',
    {},
    { name: 'A', webhook_url: 'http://example.com/' },
  )
  expect(refused).toMatchObject({ status: 400, body: { error: { field: 'webhook_url' } } })
  await live.server.close()
})

test.each([
  ['name', {}],
  ['name', { name: '' }],
  ['name', { name: 'a\u0000b' }],
  ['name', { name: 'x'.repeat(101) }],
  ['name', { name: 7 }],
  ['email', { name: 'A', email: 'nobody' }],
  ['webhook_url', { name: 'A', webhook_url: 'ftp://example.com' }],
  ['webhook_url', { name: 'A', webhook_url: 'https://user:secret@example.com/' }],
  ['webhook_url', { name: 'A', webhook_url: 'https://' }],
  ['webhook_url', { name: 'A', webhook_url: `https://example.com/${'a'.repeat(2048)}` }],
  ['platform_id', { name: 'A', platform_id: 'plt_1' }],
])('an invalid %s is refused with the field name: %j', async (field, body) => {
  const refused = await ask('POST', '/v1/platforms', {}, body)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error', field } } })
})

test('other platforms, agents and public callers get the same error for an existing and an unknown platform', async () => {
  const platform = await signUp(network)
  const stranger = await signUp(network)
  const agent = await signUpAgent(network, platform.headers, await signUpOwner(network, platform.headers))
  for (const [method, path] of [
    ['GET', ''],
    ['PATCH', ''],
    ['DELETE', ''],
    ['POST', '/rotate-secret'],
    ['POST', '/rotate-webhook-secret'],
  ] as const) {
    const body = method === 'PATCH' ? { name: 'Taken over' } : undefined
    const address = `/v1/platforms/${platform.id}${path}`
    expect((await ask(method, address, stranger.headers, body)).status).toBe(404)
    expect((await ask(method, address, agent.headers, body)).status).toBe(401)
    expect((await ask(method, address, {}, body)).status).toBe(401)
  }
  expect((await ask('GET', `/v1/platforms/${platform.id}`, platform.headers)).body['name']).toBe(
    'Test platform',
  )
})

test('a platform can change each of its fields', async () => {
  const { id, headers } = await signUp(network)
  const changed = await ask('PATCH', `/v1/platforms/${id}`, headers, { email: 'dev@example.com' })
  expect(changed).toMatchObject({ status: 200, body: { name: 'Test platform', email: 'dev@example.com' } })
  const cleared = await ask('PATCH', `/v1/platforms/${id}`, headers, { email: null, name: 'Renamed' })
  expect(cleared).toMatchObject({ status: 200, body: { name: 'Renamed', email: null } })
})

test('after rotate-secret the old secret is refused', async () => {
  const { id, headers } = await signUp(network)
  const rotated = await ask('POST', `/v1/platforms/${id}/rotate-secret`, headers)
  expect(rotated.status).toBe(200)
  expect((await ask('GET', `/v1/platforms/${id}`, headers)).status).toBe(401)
  const renewed = { ...headers, 'x-platform-secret': String(rotated.body['platform_secret']) }
  expect((await ask('GET', `/v1/platforms/${id}`, renewed)).status).toBe(200)
})

test('a deleted platform and its agents are refused, and the agents are only shown as deactivated', async () => {
  const { id, headers } = await signUp(network)
  const agent = await signUpAgent(network, headers, await signUpOwner(network, headers))
  const deleted = await ask('DELETE', `/v1/platforms/${id}`, headers)
  expect(deleted).toMatchObject({ status: 200, body: { platform_id: id, status: 'deleted' } })
  expect((await ask('GET', `/v1/platforms/${id}`, headers)).status).toBe(401)
  expect((await ask('GET', '/v1/agents/me', agent.headers)).status).toBe(401)
  const existence = await ask('GET', `/v1/agents/${agent.handle}/exists`)
  expect(existence).toMatchObject({ status: 200, body: { exists: true, status: 'deactivated' } })
})
