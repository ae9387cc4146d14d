import { type BodyOf, type ResponseOf, routes } from '@batua/contract'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import type { Api, Headers } from './src/api.ts'
import type { Agent, Network, Owner, Platform } from './src/network.ts'
import { type Stage, sharedStage } from './src/stage.ts'

let stage: Stage
let api: Api
let network: Network
let platform: Platform
let owner: Owner
let payer: Agent
let payee: Agent

beforeAll(async () => {
  stage = await sharedStage()
  ;({ api, network } = stage)
})
afterAll(() => stage.close())

beforeEach(async () => {
  platform = await network.platform()
  owner = await network.owner(platform)
  payer = await network.fundedAgent(owner)
  payee = await network.agent(await network.owner(await network.platform()))
})

type Escrow = ResponseOf<typeof routes.getEscrow>
type Hold = ResponseOf<typeof routes.holdEscrow>

const paramsOf = ({ escrow_id }: Hold | Escrow) => ({ escrow_id: escrow_id ?? '' })
const ofPayer = () => ({ params: { agent_id: payer.id }, headers: platform.headers })

const hold = (body: Partial<BodyOf<typeof routes.holdEscrow>> = {}) =>
  api.ok(routes.holdEscrow, { ...ofPayer(), body: { amount: 200, ...body } })
const holdFor = (timeout_hours: number, body: Partial<BodyOf<typeof routes.holdEscrowWithTimeout>> = {}) =>
  api.ok(routes.holdEscrowWithTimeout, { ...ofPayer(), body: { amount: 200, timeout_hours, ...body } })
const holdUntil = (attestor: Agent, body: Partial<BodyOf<typeof routes.holdEscrow>> = {}) =>
  api.ok(routes.holdEscrowWithAttestation, {
    ...ofPayer(),
    body: { amount: 200, attestor_agent_id: attestor.handle, ...body },
  })
const release = (escrow: Hold, to: string, headers: Headers = platform.headers) =>
  api.ok(routes.releaseEscrow, { params: paramsOf(escrow), headers, body: { to_agent_id: to } })
const refund = (escrow: Hold, headers: Headers = platform.headers) =>
  api.ok(routes.refundEscrow, { params: paramsOf(escrow), headers })
const attest = (escrow: Hold, attestor: Agent) =>
  api.ok(routes.attestEscrow, { params: paramsOf(escrow), headers: attestor.headers })
const see = (escrow: Hold, headers: Headers = platform.headers) =>
  api.ok(routes.getEscrow, { params: paramsOf(escrow), headers })

async function balances(): Promise<(readonly number[])[]> {
  return [await network.balance(payer), await network.balance(payee)].map(
    ({ available, total_funded, total_spent }) => [available, total_funded, total_spent] as const,
  )
}

describe('money in escrow', () => {
  test('is debited at the hold without a fee, and credited in full at the release', async () => {
    const escrow = await hold({ reference: 'order-77' })
    expect(escrow).toMatchObject({
      ...{ agent_id: payer.id, to_agent_id: null, attestor_agent_id: null, amount: 200, status: 'held' },
      ...{ reference: 'order-77', auto_action: null, expires_at: null, resolved_at: null },
    })
    expect(await see(escrow)).toEqual(escrow)
    expect(await balances()).toEqual([
      [775, 975, 0],
      [0, 0, 0],
    ])
    const released = await release(escrow, payee.handle)
    expect(released).toEqual({
      ...escrow,
      ...{ status: 'released', to_agent_id: payee.id, resolved_at: released.resolved_at },
    })
    expect(Date.parse(released.resolved_at ?? '')).toBeGreaterThanOrEqual(Date.parse(escrow.created_at))
    expect(await balances()).toEqual([
      [775, 975, 200],
      [200, 200, 0],
    ])
  })

  test('is returned in full at a refund, and counts as unspent', async () => {
    const refunded = await refund(await hold())
    expect(refunded.status).toBe('refunded')
    expect(await balances()).toEqual([
      [975, 975, 0],
      [0, 0, 0],
    ])
  })

  test('is closed once: a second request is a conflict that names the first outcome', async () => {
    const escrow = await holdUntil(payee)
    await refund(escrow)
    const params = paramsOf(escrow)
    const { headers } = platform
    const body = { to_agent_id: payee.id }
    for (const error of [
      await api.refused(routes.releaseEscrow, 409, 'conflict', { params, headers, body }),
      await api.refused(routes.refundEscrow, 409, 'conflict', { params, headers }),
      await api.refused(routes.attestEscrow, 409, 'conflict', { params, headers: payee.headers }),
    ]) {
      expect(error.details).toEqual({ escrow_id: escrow.escrow_id, status: 'refunded' })
    }
  })

  test('can be used above the escrow threshold, where a payment is refused', async () => {
    const error = await network.refusedPayment(payer, payee, [403, 'escrow_required'], { amount: 600 })
    expect(error.message).toContain('/escrow/hold')
    expect(error.details).toMatchObject({ escrow_above: 500 })
    await release(await hold({ amount: 600, to_agent_id: payee.id }), payee.id)
    expect((await network.balance(payee)).available).toBe(600)
  })

  test('with a recipient is released without naming it again, and without one the release must name it', async () => {
    const params = (escrow: Hold) => ({ params: paramsOf(escrow), headers: platform.headers })
    const released = await api.ok(routes.releaseEscrow, params(await hold({ to_agent_id: payee.id })))
    expect(released).toMatchObject({ status: 'released', to_agent_id: payee.id })
    const error = await api.refused(routes.releaseEscrow, 400, 'validation_error', params(await hold()))
    expect(error).toMatchObject({ field: 'to_agent_id', message: expect.stringContaining('to_agent_id') })
  })

  test('is held once for one Idempotency-Key, with the same response', async () => {
    const call = { ...ofPayer(), body: { amount: 200 } }
    const headers = { ...call.headers, 'idempotency-key': 'hold-1' }
    const first = await api.ok(routes.holdEscrow, { ...call, headers })
    expect(await api.ok(routes.holdEscrow, { ...call, headers })).toEqual(first)
    expect((await network.balance(payer)).available).toBe(775)
  })
})

describe('an attestor', () => {
  test('releases to the recipient, or to itself if the hold has none', async () => {
    const attestor = await network.agent(await network.owner(await network.platform()))
    const [named, own] = [await holdUntil(attestor, { to_agent_id: payee.id }), await holdUntil(attestor)]
    expect([named.to_agent_id, own.to_agent_id]).toEqual([payee.id, attestor.id])
    for (const escrow of [named, own]) {
      expect(await attest(escrow, attestor)).toMatchObject({ status: 'released' })
    }
    expect((await network.balance(payee)).available).toBe(200)
    expect((await network.balance(attestor)).available).toBe(200)
  })

  test('is the only agent that can attest; strangers do not learn that the escrow exists', async () => {
    const attestor = await network.agent(owner)
    const stranger = await network.agent(await network.owner(await network.platform()))
    const escrow = await holdUntil(attestor, { to_agent_id: payee.id })
    const params = paramsOf(escrow)
    for (const { headers } of [payer, payee]) {
      await api.refused(routes.attestEscrow, 403, 'authorization_error', { params, headers })
    }
    const { headers } = stranger
    await api.refused(routes.attestEscrow, 404, 'not_found', { params, headers })
    await attest(escrow, attestor)
  })
})

describe('a timeout', () => {
  const pass = (hours: number) => api.ok(routes.advanceClock, { body: { advance_seconds: hours * 3_600 } })

  test('refunds by default, and releases to the recipient if the hold says so', async () => {
    const back = await holdFor(0.5)
    const on = await holdFor(0.5, { auto_action: 'release', to_agent_id: payee.id })
    const nobody = await holdFor(0.5, { auto_action: 'release' })
    expect(back).toMatchObject({ auto_action: 'refund' })
    expect(Date.parse(back.expires_at ?? '') - Date.parse(back.created_at)).toBe(1_800_000)
    await pass(0.49)
    expect((await see(back)).status).toBe('held')
    await pass(0.02)
    expect([(await see(back)).status, (await see(on)).status, (await see(nobody)).status]).toEqual([
      ...['refunded', 'released', 'refunded'],
    ])
    expect((await network.balance(payee)).available).toBe(200)
  })

  test('takes effect by itself within 5 s', async () => {
    const escrow = await holdFor(0.0001)
    const startedMs = performance.now()
    while ((await see(escrow)).status === 'held' && performance.now() - startedMs < 10_000) {
      await new Promise<void>(resolve => {
        setTimeout(resolve, 50)
      })
    }
    expect((await see(escrow)).status).toBe('refunded')
    expect(performance.now() - startedMs).toBeLessThan(5_400)
  })

  test('that cannot release to a paused agent keeps the money held, and releases once the agent is resumed', async () => {
    const escrow = await holdFor(1, { auto_action: 'release', to_agent_id: payee.id })
    const of = { params: { agent_id: payee.id }, headers: payee.owner.platform.headers }
    await api.ok(routes.pauseAgent, of)
    await pass(2)
    expect((await see(escrow)).status).toBe('held')
    await api.ok(routes.resumeAgent, of)
    await pass(0.1)
    expect((await see(escrow)).status).toBe('released')
  })

  test.each([0, -1, 8_760.01])('of %s hours is refused', async timeout_hours => {
    const call = { ...ofPayer(), body: { amount: 1, timeout_hours } }
    const error = await api.refused(routes.holdEscrowWithTimeout, 400, 'validation_error', call)
    expect(error.field).toBe('timeout_hours')
  })
})

describe('an escrow', () => {
  test('is visible to both sides and the attestor, their platforms and owners, and to no one else', async () => {
    const attestor = await network.agent(await network.owner(await network.platform()))
    const escrow = await holdUntil(attestor, { to_agent_id: payee.id })
    for (const party of [payer, payee, attestor]) {
      const session = await network.login(party.owner)
      for (const headers of [party.headers, party.owner.platform.headers, session]) {
        expect(await see(escrow, headers)).toEqual(escrow)
      }
    }
    const stranger = await network.agent(await network.owner(await network.platform()))
    const session = await network.login(stranger.owner)
    for (const headers of [stranger.headers, stranger.owner.platform.headers, session]) {
      await api.refused(routes.getEscrow, 404, 'not_found', { params: paramsOf(escrow), headers })
    }
  })

  test('is released and refunded only by the payer’s platform', async () => {
    const escrow = await hold({ to_agent_id: payee.id })
    const params = paramsOf(escrow)
    const body = { to_agent_id: payee.id }
    const { headers } = payee.owner.platform
    await api.refused(routes.releaseEscrow, 403, 'authorization_error', { params, headers, body })
    await api.refused(routes.refundEscrow, 403, 'authorization_error', { params, headers })
    await release(escrow, payee.id)
  })

  test('with a recipient is released to no other agent, and never to the payer', async () => {
    const escrow = await hold({ to_agent_id: payee.handle })
    const other = await network.agent(owner)
    const call = { params: paramsOf(escrow), headers: platform.headers }
    const error = await api.refused(routes.releaseEscrow, 409, 'conflict', {
      ...{ ...call, body: { to_agent_id: other.id } },
    })
    expect(error.field).toBe('to_agent_id')
    await api.refused(routes.releaseEscrow, 400, 'validation_error', {
      ...{ ...call, body: { to_agent_id: payer.id } },
    })
  })

  test('cannot name an unknown agent or the payer as its recipient', async () => {
    for (const [to_agent_id, status, code] of [
      ['nobody-has-this-handle', 404, 'not_found'],
      ['agt_01kb7q3f8meg5tz4x9wc2n6a01', 404, 'not_found'],
      [payer.handle, 400, 'validation_error'],
    ] as const) {
      const call = { ...ofPayer(), body: { amount: 1, to_agent_id } }
      expect((await api.refused(routes.holdEscrow, status, code, call)).field).toBe('to_agent_id')
    }
    expect((await network.balance(payer)).available).toBe(975)
  })
})
