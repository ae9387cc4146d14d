import { expect } from 'vitest'
import { randomPan, randomPhone } from '../../../testing/network.ts'
import {
  ask,
  type Body,
  type Headers,
  network,
  signUp,
  signUpAgent,
  signUpOwner,
  test,
} from '../../../testing/network-server.ts'

let platform: Headers

test.beforeAll(async () => {
  platform = (await signUp(network)).headers
})

test('an owner is created with normalised personal data and shown with masked data', async () => {
  const request = { name: 'Asha Rao', phone: '+91 98765-43210', pan: 'abcde1234f', email: 'asha@example.com' }
  const created = await ask('POST', '/v1/owners', platform, request)
  expect(created).toMatchObject({
    status: 201,
    body: { phone: '9876543210', pan: 'ABCxxxxx4F', kyc_status: 'none', tier: 'sandbox', status: 'active' },
  })
  const read = await ask('GET', `/v1/owners/${String(created.body['owner_id'])}`, platform)
  expect(read).toMatchObject({ status: 200, body: created.body })

  const again = await ask('POST', '/v1/owners', platform, { ...request, pan: randomPan() })
  const details = { owner_id: created.body['owner_id'] }
  expect(again).toMatchObject({ status: 409, body: { error: { code: 'conflict', details } } })
})

test.each([
  ['name', { name: undefined }],
  ['phone', { phone: '12345' }],
  ['phone', { phone: 9876543210 }],
  ['phone', { phone: '\u0967\u0968\u0969\u096a\u096b\u096c\u096d\u096e\u096f\u0966' }],
  ['pan', { pan: 'ABCDE12345' }],
  ['pan', { pan: "ABCDE1234F' --" }],
  ['email', { email: 'asha' }],
  ['tier', { tier: 'tier3' }],
])('an invalid %s is refused with the field name: %j', async (field, change) => {
  const body = { name: 'Asha Rao', phone: randomPhone(), pan: randomPan(), ...change }
  const refused = await ask('POST', '/v1/owners', platform, body)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error', field } } })
})

test('other platforms get the same error for an existing and an unknown owner, and agents may not read owners', async () => {
  const ownerId = await signUpOwner(network, platform)
  const stranger = await signUp(network)
  const agent = await signUpAgent(network, platform, ownerId)
  const bank = { bank_account: '123456789012', bank_ifsc: 'HDFC0001234' }
  expect((await ask('GET', `/v1/owners/${ownerId}`, stranger.headers)).status).toBe(404)
  expect((await ask('POST', `/v1/owners/${ownerId}/kyc`, stranger.headers, bank)).status).toBe(404)
  expect((await ask('GET', `/v1/owners/${ownerId}`, agent.headers)).status).toBe(401)
  expect((await ask('GET', '/v1/owners', agent.headers)).status).toBe(401)
  expect((await ask('GET', '/v1/owners/own_nobody', platform)).status).toBe(404)
})

test('KYC verifies the account and moves the owner and its agents to tier1', async () => {
  const ownerId = await signUpOwner(network, platform)
  const agent = await signUpAgent(network, platform, ownerId)
  const bank = { bank_account: '123456789012', bank_ifsc: 'hdfc0001234' }
  expect(await ask('POST', `/v1/owners/${ownerId}/kyc`, platform, bank)).toMatchObject({
    status: 200,
    body: {
      owner_id: ownerId,
      kyc_status: 'verified',
      tier: 'tier1',
      bank_account_last4: '9012',
      bank_ifsc: 'HDFC0001234',
      name_at_bank: 'Asha Rao',
      name_match_score: 100,
      reason: null,
    },
  })
  expect((await ask('GET', '/v1/agents/me', agent.headers)).body['tier']).toBe('tier1')
})

test.each([
  ['bank_account', { bank_account: '12345678' }],
  ['bank_account', { bank_account: 123456789012 }],
  ['bank_ifsc', { bank_ifsc: 'HDFC1001234' }],
])('an invalid %s is refused with the field name: %j', async (field, change) => {
  const ownerId = await signUpOwner(network, platform)
  const body = { bank_account: '123456789012', bank_ifsc: 'HDFC0001234', ...change }
  const refused = await ask('POST', `/v1/owners/${ownerId}/kyc`, platform, body)
  expect(refused).toMatchObject({ status: 400, body: { error: { code: 'validation_error', field } } })
})

test('owners are listed newest first, in pages that neither repeat nor omit one', async () => {
  const { headers } = await signUp(network)
  const created: string[] = []
  for (let index = 0; index < 5; index += 1) created.unshift(await signUpOwner(network, headers))

  const listed: unknown[] = []
  let cursor: unknown = ''
  let pages = 0
  for (; cursor !== undefined; pages += 1) {
    const query = typeof cursor === 'string' && cursor !== '' ? `?limit=2&cursor=${cursor}` : '?limit=2'
    const { body } = await ask('GET', `/v1/owners${query}`, headers)
    const pagination = body['pagination'] as Body
    expect(pagination['total']).toBe(5)
    listed.push(...(body['owners'] as Body[]).map(owner => owner['owner_id']))
    cursor = pagination['next_cursor']
  }
  expect(pages).toBe(3)
  expect(listed).toEqual(created)

  const skipped = await ask('GET', '/v1/owners?offset=3', headers)
  expect((skipped.body['owners'] as Body[]).map(owner => owner['owner_id'])).toEqual(created.slice(3))
  expect((await ask('GET', '/v1/owners?limit=101', headers)).status).toBe(400)
})

test('a search finds owners of the platform by a part of the name in any case, or by the id', async () => {
  const { headers } = await signUp(network)
  const create = async (name: string) => {
    const body = { name, phone: randomPhone(), pan: randomPan() }
    return String((await ask('POST', '/v1/owners', headers, body)).body['owner_id'])
  }
  const [asha, ravi] = [await create('Asha Rao'), await create('Ravi 100%')]
  const search = async (text: string, as = headers) => {
    const { body } = await ask('GET', `/v1/owners?search=${encodeURIComponent(text)}`, as)
    const { owners, pagination } = body as {
      readonly owners: readonly { readonly owner_id: string }[]
      readonly pagination: { readonly total: number }
    }
    expect(pagination.total).toBe(owners.length)
    return owners.map(({ owner_id }) => owner_id)
  }
  expect(await search('RAO')).toEqual([asha])
  expect(await search('a')).toEqual([ravi, asha])
  expect(await search('0%')).toEqual([ravi])
  expect(await search('_')).toEqual([])
  expect(await search(asha)).toEqual([asha])
  expect(await search(asha, (await signUp(network)).headers)).toEqual([])
  expect((await ask('GET', '/v1/owners?search=', headers)).status).toBe(400)
})
