import { generateKeyPairSync } from 'node:crypto'
import { POLICY_CONTROLS, routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, openApi, type Reply } from './src/api.ts'
import type { ServiceDatabase } from './src/database.ts'
import { type Network, newHandle, newPan, newPhone, type Platform, shown } from './src/network.ts'
import { startService } from './src/service.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let database: ServiceDatabase
let api: Api
let network: Network
let platform: Platform

beforeAll(async () => {
  stage = await sharedStage()
  ;({ database, api, network } = stage)
  platform = await network.platform()
})
afterAll(() => stage.close())

/** The number of responses by status. */
function statusesOf(replies: readonly Reply[]): Record<number, number> {
  const counts = Map.groupBy(replies, reply => reply.status)
  return Object.fromEntries([...counts].map(([status, those]) => [status, those.length]))
}

describe('a platform', () => {
  test('changes the fields it sends, clears those it sends as null, and keeps the rest', async () => {
    const mine = await network.platform()
    const call = { params: { platform_id: mine.id }, headers: mine.headers }
    const webhook_url = 'https://example.com/webhooks/wallet?a=1#part'
    const changed = await api.ok(routes.updatePlatform, { ...call, body: { name: 'Näme', webhook_url } })
    expect(changed).toMatchObject({
      name: 'Näme',
      webhook_url,
      email: expect.stringContaining('@example.com'),
    })
    const cleared = await api.ok(routes.updatePlatform, { ...call, body: { email: null, webhook_url: null } })
    expect(cleared).toMatchObject({ name: 'Näme', webhook_url: null, email: null })
    expect(await api.ok(routes.getPlatform, call)).toEqual(cleared)
  })

  test('cannot set an invalid webhook_url, or one with a user name', async () => {
    const wrong = [
      'ftp://example.com/x',
      'javascript:alert(1)',
      'example.com',
      'https://',
      'https://user:secret@example.com/x',
      'https://example.com/a b',
      `https://example.com/${'a'.repeat(2_048)}`,
      'https://exa\u0000mple.com',
    ]
    for (const webhook_url of wrong) {
      const error = await api.refused(routes.createPlatform, 400, 'validation_error', {
        body: { name: 'A', webhook_url },
      })
      expect([webhook_url, error.field]).toEqual([webhook_url, 'webhook_url'])
    }
  })

  test('that replaces its secret can use only the new one, at once', async () => {
    const mine = await network.platform()
    const call = { params: { platform_id: mine.id } }
    const rotated = await api.ok(routes.rotatePlatformSecret, { ...call, headers: mine.headers })
    await api.refused(routes.getPlatform, 401, 'authentication_error', { ...call, headers: mine.headers })
    const headers = { ...mine.headers, 'x-platform-secret': shown(rotated.platform_secret) }
    await api.ok(routes.getPlatform, { ...call, headers })
  })

  test('that replaces its webhook secret sees the new one once, and the expiry of the old one', async () => {
    const mine = await network.platform()
    const call = { params: { platform_id: mine.id }, headers: mine.headers }
    const rotated = await api.ok(routes.rotateWebhookSecret, call)
    const { now } = await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
    const left = Date.parse(rotated.previous_secret_expires_at) - Date.parse(now)
    expect(left).toBeGreaterThan(86_390_000)
    expect(left).toBeLessThanOrEqual(86_400_000)
    expect(JSON.stringify(await api.ok(routes.getPlatform, call))).not.toContain('whsec_')
  })

  test('is not deleted while an agent has money; afterwards its owners and agents are not found', async () => {
    const mine = await network.platform()
    const owner = await network.owner(mine)
    const agent = await network.agent(owner)
    const elsewhere = await network.agent(await network.owner(platform))
    await network.fund(agent, 100)
    const call = { params: { platform_id: mine.id }, headers: mine.headers }
    await api.refused(routes.deletePlatform, 409, 'conflict', call)
    expect((await network.balance(agent)).available).toBe(97.5)
    await network.pay(agent, elsewhere, 96.5)
    expect(await api.ok(routes.deletePlatform, call)).toMatchObject({
      platform_id: mine.id,
      status: 'deleted',
    })

    await api.refused(routes.getPlatform, 401, 'authentication_error', call)
    await api.refused(routes.getCurrentAgent, 401, 'authentication_error', { headers: agent.headers })
    const pay = {
      params: { agent_id: agent.id },
      headers: agent.headers,
      body: { to: elsewhere.id, amount: 1 },
    }
    await api.refused(routes.pay, 401, 'authentication_error', pay)
    const into = {
      params: { agent_id: elsewhere.id },
      headers: elsewhere.headers,
      body: { to: agent.id, amount: 1 },
    }
    expect((await api.refused(routes.pay, 400, 'validation_error', into)).field).toBe('to')
    const body = { name: 'A', handle: agent.handle, owner_id: owner.id }
    const other = { ...body, owner_id: elsewhere.owner.id }
    await api.refused(routes.createAgent, 409, 'conflict', { headers: platform.headers, body: other })
  })
})

describe('an owner', () => {
  test('is normalised, masked and shown only to its platform', async () => {
    const phone = newPhone()
    const pan = newPan()
    const body = {
      name: '  Asha Rao-Iyer  ',
      phone: `+91 ${phone.slice(0, 5)}-${phone.slice(5)}`,
      pan: pan.toLowerCase(),
      email: 'Asha@Example.com',
    }
    const made = await api.ok(routes.createOwner, { headers: platform.headers, body })
    expect(made).toMatchObject({
      name: body.name,
      phone,
      email: body.email,
      pan: `${pan.slice(0, 3)}xxxxx${pan.slice(8)}`,
      kyc_status: 'none',
      tier: 'sandbox',
      status: 'active',
      bank_account_last4: null,
      bank_ifsc: null,
    })
    const call = { params: { owner_id: made.owner_id }, headers: platform.headers }
    expect(await api.ok(routes.getOwner, call)).toEqual(made)
  })

  test('exists once for a phone and once for a PAN, in any spelling', async () => {
    const person = { name: 'Asha Rao', phone: newPhone(), pan: newPan() }
    const first = await api.ok(routes.createOwner, { headers: platform.headers, body: person })
    const again = [
      person,
      { ...person, pan: newPan() },
      { ...person, phone: newPhone() },
      { ...person, phone: `0${person.phone}`, pan: newPan() },
      { ...person, phone: `+91${person.phone}`, pan: newPan() },
      { ...person, phone: newPhone(), pan: person.pan.toLowerCase() },
    ]
    for (const body of again) {
      const error = await api.refused(routes.createOwner, 409, 'conflict', {
        headers: platform.headers,
        body,
      })
      expect(error.details).toEqual({ owner_id: first.owner_id })
    }
    const other = await network.platform()
    await api.ok(routes.createOwner, { headers: other.headers, body: person })
  })

  test('is created once by twenty concurrent requests', async () => {
    const body = { name: 'Asha Rao', phone: newPhone(), pan: newPan() }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => api.send(routes.createOwner, { headers: platform.headers, body })),
    )
    expect(statusesOf(replies)).toEqual({ 201: 1, 409: 19 })
  })

  test('that is verified raises the tier of its present and future agents', async () => {
    const owner = await network.owner(platform)
    const before = await network.agent(owner)
    await network.verify(owner)
    const after = await network.agent(owner)
    for (const { headers } of [before, after]) {
      expect((await api.ok(routes.getCurrentAgent, { headers })).tier).toBe('tier1')
    }
    const params = { owner_id: owner.id }
    const seen = await api.ok(routes.getOwner, { params, headers: platform.headers })
    expect(seen).toMatchObject({ kyc_status: 'verified', tier: 'tier1', bank_ifsc: 'HDFC0001234' })
    expect(seen.bank_account_last4).toMatch(/^\d{4}$/)
  })
})

describe('an agent', () => {
  const call = (agent_id: string) => ({ params: { agent_id }, headers: platform.headers })

  test('stores and shows every control, and PATCH leaves what it does not name', async () => {
    const owner = await network.owner(platform)
    const [friend, foe] = [await network.agent(owner), await network.agent(owner)]
    const policy = {
      spend_limit_per_tx: 500.55,
      spend_limit_hourly: 0,
      spend_limit_daily: 5000,
      spend_limit_monthly: 10_000_000_000,
      allowed_payees: [friend.id],
      blocked_payee_agents: [foe.id],
      per_counterparty_daily_limit: 0.01,
      max_counterparties_per_hour: 20,
      require_escrow_above: 100,
      require_human_approval_above: 200,
    }
    const agent = await network.agent(owner, policy)
    const made = await api.ok(routes.getAgent, call(agent.id))
    expect(made.policy).toMatchObject(policy)
    expect(Object.keys(made.policy)).toEqual([...POLICY_CONTROLS])
    const lower = {
      spend_limit_daily: 1,
      max_counterparties_per_hour: 0,
      blocked_payee_agents: [foe.id, friend.id],
    }
    const changed = await api.ok(routes.updateAgent, {
      ...call(agent.id),
      body: { ...lower, name: 'Renamed' },
    })
    const { warnings, ...record } = changed
    expect(record).toMatchObject({ name: 'Renamed', policy: { ...policy, ...lower } })
    expect(warnings).toEqual([
      `${agent.id} can pay nobody: no agent that can be paid is allowed by all payee lists in force`,
    ])
    expect(await api.ok(routes.getAgent, call(agent.id))).toEqual(record)
    const open = await network.agent(owner)
    expect((await api.ok(routes.getAgent, call(open.id))).policy).toEqual({
      ...Object.fromEntries(POLICY_CONTROLS.map(control => [control, null])),
      allowed_payees: ['network'],
      blocked_payee_agents: [],
    })
  })

  test('keeps its handle for ever, and no other agent of the network can have it', async () => {
    const [mine, theirs] = [await network.owner(platform), await network.owner(await network.platform())]
    const handle = newHandle()
    const agent = await network.agent(mine, { handle: `@${handle.toUpperCase()}` })
    expect(agent.handle).toBe(handle)
    for (const owner of [mine, theirs]) {
      for (const taken of [handle, handle.toUpperCase(), `@${handle}`]) {
        const body = { name: 'A', handle: taken, owner_id: owner.id }
        await api.refused(routes.createAgent, 409, 'conflict', { headers: owner.platform.headers, body })
      }
    }
    await api.ok(routes.deactivateAgent, call(agent.id))
    const body = { name: 'A', handle, owner_id: theirs.id }
    await api.refused(routes.createAgent, 409, 'conflict', { headers: theirs.platform.headers, body })
    const found = await api.ok(routes.getAgentExistence, { params: { agent_id: handle } })
    expect(found).toMatchObject({ exists: true, agent_id: agent.id, status: 'deactivated' })
  })

  test('is created once by twenty concurrent requests for one handle', async () => {
    const owner = await network.owner(platform)
    const body = { name: 'A', handle: newHandle(), owner_id: owner.id }
    const replies = await Promise.all(
      Array.from({ length: 20 }, () => api.send(routes.createAgent, { headers: platform.headers, body })),
    )
    expect(statusesOf(replies)).toEqual({ 201: 1, 409: 19 })
    const { agents } = await api.ok(routes.listAgents, {
      headers: platform.headers,
      query: { owner_id: owner.id },
    })
    expect(agents.length).toBe(1)
  })

  test('cannot have an invalid handle', async () => {
    const owner = await network.owner(platform)
    const wrong = [
      'ab',
      '9bot',
      '-bot',
      '_bot',
      'bo t',
      'bot!',
      'bоt',
      'ＢＯＴ',
      'bo\u212A',
      `a${'b'.repeat(32)}`,
      '@@bot',
      '@',
    ]
    const likeAnId = 'agt_01kb7q3f8meg5tz4x9wc2n6a01'
    for (const handle of [...wrong, likeAnId, likeAnId.toUpperCase()]) {
      const body = { name: 'A', handle, owner_id: owner.id }
      const error = await api.refused(routes.createAgent, 400, 'validation_error', {
        headers: platform.headers,
        body,
      })
      expect([handle, error.field]).toEqual([handle, 'handle'])
      const free = await api.ok(routes.getHandleAvailability, { params: { handle } })
      expect(free).toMatchObject({ available: false, reason: 'invalid' })
    }
    for (const handle of ['bot', `a${'b'.repeat(31)}`]) {
      const free = await api.ok(routes.getHandleAvailability, { params: { handle } })
      expect(free).toEqual({ handle, available: true, reason: null })
    }
  })

  test('can have its own public key, if it is valid', async () => {
    const owner = await network.owner(platform)
    const jwk = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })
    const public_key = Buffer.from(jwk.x ?? '', 'base64url').toString('base64')
    await network.agent(owner, { public_key })
    for (const wrong of ['A'.repeat(44), `${'A'.repeat(42)}==`, 'short', `${'/'.repeat(43)}=`]) {
      const body = { name: 'A', handle: newHandle(), owner_id: owner.id, public_key: wrong }
      const error = await api.refused(routes.createAgent, 400, 'validation_error', {
        headers: platform.headers,
        body,
      })
      expect(error.field).toBe('public_key')
    }
  })

  test('that gets a new key can use only that one, at once and for payments too', async () => {
    const owner = await network.owner(platform)
    const [agent, other] = [await network.agent(owner), await network.agent(owner)]
    await network.fund(agent, 100)
    await network.pay(agent, other, 1)
    let headers = agent.headers
    for (const by of [platform.headers, 'itself'] as const) {
      const rotation = { params: { agent_id: agent.id }, headers: by === 'itself' ? headers : by }
      const { agent_key, key_last4 } = await api.ok(routes.rotateAgentKey, rotation)
      expect(key_last4).toBe(shown(agent_key).slice(-4))
      const pay = { params: { agent_id: agent.id }, headers, body: { to: other.id, amount: 1 } }
      await api.refused(routes.pay, 401, 'authentication_error', pay)
      await api.refused(routes.getCurrentAgent, 401, 'authentication_error', { headers })
      headers = { 'x-agent-key': shown(agent_key) }
      await api.ok(routes.pay, { ...pay, headers })
    }
    expect((await api.ok(routes.getBalance, call(agent.id))).available).toBe(97.5 - 6)
  })

  test('that is deactivated stays so, and its money stays visible to its platform', async () => {
    const owner = await network.owner(platform)
    const agent = await network.agent(owner)
    await network.fund(agent, 100)
    expect(await api.ok(routes.deactivateAgent, call(agent.id))).toMatchObject({ status: 'deactivated' })
    expect(await api.ok(routes.deactivateAgent, call(agent.id))).toMatchObject({ status: 'deactivated' })
    await api.refused(routes.getCurrentAgent, 401, 'authentication_error', { headers: agent.headers })
    await api.refused(routes.rotateAgentKey, 409, 'conflict', call(agent.id))
    await api.refused(routes.updateAgent, 409, 'conflict', { ...call(agent.id), body: { name: 'Back' } })
    expect(await api.ok(routes.getBalance, call(agent.id))).toMatchObject({ available: 97.5 })
    expect((await api.ok(routes.listTransactions, call(agent.id))).pagination.total).toBe(1)
  })
})

describe('on a network whose sign-up is closed', () => {
  test('a platform cannot sign up', async () => {
    const closed = await startService({ DATABASE_URL: database.url, PLATFORM_SIGNUP: 'admin' })
    const error = await openApi(closed.address).refused(routes.createPlatform, 401, 'authentication_error', {
      body: { name: 'A' },
    })
    expect(error.message).not.toBe('')
    expect(await closed.stop()).toBe(0)
  })
})
