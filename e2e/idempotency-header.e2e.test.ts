import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, errorOf } from './src/api.ts'
import { openTestDatabase, type ServiceDatabase } from './src/database.ts'
import { newPan, newPhone } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'
import { openWorld, type World } from './src/world.ts'

let stage: Stage
let database: ServiceDatabase
let api: Api
let world: World

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, api } = stage)
  world = await openWorld(api)
})
afterAll(() => stage.close())

describe('the header Idempotency-Key', () => {
  test('belongs to one credential: another may use the same key', async () => {
    const { platform, stranger } = world
    const ids = []
    for (const { headers } of [platform, stranger.platform]) {
      const body = { name: 'Ravi Iyer', phone: newPhone(), pan: newPan() }
      const call = { headers: { ...headers, 'idempotency-key': 'mine' }, body }
      ids.push((await api.ok(routes.createOwner, call)).owner_id)
    }
    expect(new Set(ids).size).toBe(2)
  })

  test('is not used up by a request that was refused', async () => {
    const { network, owner, payee } = world
    const poor = await network.agent(owner)
    const headers = { ...poor.headers, 'idempotency-key': 'try-again' }
    const call = { params: { agent_id: poor.id }, headers, body: { to: payee.id, amount: 10 } }
    await api.refused(routes.pay, 402, 'insufficient_balance', call)
    await network.fund(poor, 100)
    expect((await api.send(routes.pay, call)).headers.get('idempotent-replayed')).toBeNull()
    expect((await api.send(routes.pay, call)).headers.get('idempotent-replayed')).toBe('true')
    expect((await network.balance(poor)).available).toBe(97.5 - 11)
  })

  test('returns no stored response to a credential that has ended since', async () => {
    const { network, owner, platform, payee } = world
    const agent = await network.agent(owner)
    await network.fund(agent, 100)
    const headers = { ...agent.headers, 'idempotency-key': 'before-the-end' }
    const call = { params: { agent_id: agent.id }, headers, body: { to: payee.id, amount: 10 } }
    await api.ok(routes.pay, call)
    const rotation = { params: { agent_id: agent.id }, headers: platform.headers }
    await api.ok(routes.rotateAgentKey, rotation)
    await api.refused(routes.pay, 401, 'authentication_error', call)
  })

  test('can be used again after a day', async () => {
    const { payer } = world
    const call = {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, 'idempotency-key': 'yesterday' },
      body: { amount: 10 },
    }
    const first = await api.ok(routes.createFunding, call)
    await api.ok(routes.advanceClock, { body: { advance_seconds: 86_300 } })
    expect((await api.ok(routes.createFunding, call)).funding_id).toBe(first.funding_id)
    await api.ok(routes.advanceClock, { body: { advance_seconds: 101 } })
    expect((await api.ok(routes.createFunding, call)).funding_id).not.toBe(first.funding_id)
  })

  test('of a running request is refused, and that request takes effect once', async () => {
    const { payer, payee, network } = world
    const { available } = await network.balance(payer)
    const call = {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, 'idempotency-key': 'in-flight' },
      body: { to: payee.id, amount: 10 },
    }
    const window = await openTestDatabase(database.url)
    await window.query('begin')
    await window.query('select id from accounts for no key update')
    const both = [api.send(routes.pay, call), api.send(routes.pay, call)]
    const early = await Promise.race(both)
    expect([early.status, errorOf(early).code]).toEqual([409, 'idempotency_error'])
    expect(Number(early.headers.get('retry-after'))).toBeGreaterThan(0)
    await window.query('rollback')
    await window.close()
    const done = (await Promise.all(both)).filter(reply => reply.status === 200)
    expect(done.length).toBe(1)
    expect((await api.send(routes.pay, call)).body).toEqual(done[0]?.body)
    expect((await network.balance(payer)).available).toBe(available - 11)
  })

  test('sent twenty times at once takes effect once', async () => {
    const { payer, payee, network } = world
    const { available } = await network.balance(payer)
    const call = {
      params: { agent_id: payer.id },
      headers: { ...payer.headers, 'idempotency-key': 'all-at-once' },
      body: { to: payee.id, amount: 10 },
    }
    const replies = await Promise.all(Array.from({ length: 20 }, () => api.send(routes.pay, call)))
    const done = replies.filter(reply => reply.status === 200)
    expect(done.filter(reply => reply.headers.get('idempotent-replayed') === null).length).toBe(1)
    expect(new Set(done.map(reply => reply.text)).size).toBe(1)
    for (const reply of replies.filter(reply => reply.status !== 200)) {
      expect([reply.status, errorOf(reply).code]).toEqual([409, 'idempotency_error'])
    }
    expect((await network.balance(payer)).available).toBe(available - 11)
  })
})
