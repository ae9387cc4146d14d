import { routes } from '@batua/contract'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Api, type Headers, openApi } from './src/api.ts'
import type { Network, Owner } from './src/network.ts'
import { startService } from './src/service.ts'
import { openStage, type Stage } from './src/stage.ts'

const HOUR_S = 3_600

let stage: Stage
let api: Api
let network: Network
let admin: Headers

beforeAll(async () => {
  stage = await openStage()
  ;({ api, network } = stage)
  admin = await network.admin()
})
afterAll(() => stage.close())

const overview = (headers = admin) => api.ok(routes.getOverview, { headers })
const ofOwner = (owner: Owner) => ({ params: { owner_id: owner.id }, headers: admin })

describe('the overview', () => {
  test('shows every change at once, exact to the paisa', async () => {
    const before = await overview()
    const platform = await network.platform()
    const owner = await network.owner(platform)
    const [payer, payee] = [await network.fundedAgent(owner), await network.agent(owner)]
    await network.pay(payer, payee, 100.25)
    await network.pay(payer, payee, 300)
    await api.ok(routes.pauseAgent, { params: { agent_id: payee.id }, headers: platform.headers })
    const after = await overview()
    expect(after).toMatchObject({
      platforms: before.platforms + 1,
      owners: before.owners + 1,
      agents: {
        total: before.agents.total + 2,
        active: before.agents.active + 1,
        paused: before.agents.paused + 1,
      },
      escrow_held: 0,
      failed_deliveries: 0,
    })
    expect(after.float).toBeCloseTo(before.float + 975 - 2.5, 2)
    expect(after.payments.today).toEqual({
      count: before.payments.today.count + 2,
      volume: before.payments.today.volume + 400.25,
      fees: before.payments.today.fees + 2.5,
    })
  })

  test('shows when the ledger was checked, and a later check an hour later', async () => {
    await api.ok(routes.advanceClock, { body: { advance_seconds: 0 } })
    const { ledger } = await overview()
    expect(ledger.balanced).toBe(true)
    await api.ok(routes.advanceClock, { body: { advance_seconds: HOUR_S + 1 } })
    const later = await overview(await network.admin())
    expect(later.ledger.balanced).toBe(true)
    expect(Date.parse(later.ledger.checked_at ?? '')).toBeGreaterThan(Date.parse(ledger.checked_at ?? ''))
    admin = await network.admin()
  })

  test('counts the same payments after they are summed by day, and omits them after 30 days', async () => {
    const { payments } = await overview()
    expect(payments.last_30_days.count).toBeGreaterThan(0)
    const day = 24 * HOUR_S
    for (const advance_seconds of [HOUR_S, 0, 2 * day, 0, 26 * day]) {
      await api.ok(routes.advanceClock, { body: { advance_seconds } })
      admin = await network.admin()
      expect((await overview()).payments.last_30_days).toEqual(payments.last_30_days)
    }
    await api.ok(routes.advanceClock, { body: { advance_seconds: 3 * day } })
    admin = await network.admin()
    expect((await overview()).payments.last_30_days).toEqual({ count: 0, volume: 0, fees: 0 })
  })
})

describe('an owner, seen by an administrator', () => {
  test('is listed with all others and shown with its agents and their balances', async () => {
    const platform = await network.platform()
    const owner = await network.owner(platform)
    await network.verify(owner)
    await network.fundedAgent(owner)
    await network.agent(owner)
    const listed = await api.ok(routes.listAllOwners, {
      headers: admin,
      query: { status: 'active', kyc_status: 'verified', limit: 1 },
    })
    expect(listed.owners).toMatchObject([{ owner_id: owner.id, platform_id: platform.id, tier: 'tier1' }])
    const shown = await api.ok(routes.getOwnerAccount, ofOwner(owner))
    expect(shown).toMatchObject({ ...listed.owners[0], agents: { total: 2, active: 2 }, total_balance: 975 })
  })

  test('gets a new tier whose limits apply to the next payment, whether higher or lower', async () => {
    const owner = await network.owner(await network.platform())
    const [payer, payee] = [await network.fundedAgent(owner), await network.agent(owner)]
    const setTier = (tier: 'sandbox' | 'tier2') =>
      api.ok(routes.setOwnerTier, { ...ofOwner(owner), body: { tier } })
    await network.refusedPayment(payer, payee, [403, 'escrow_required'], { amount: 501 })
    await setTier('tier2')
    await network.pay(payer, payee, 501)
    await setTier('sandbox')
    await network.fund(payer, 1000)
    await network.refusedPayment(payer, payee, [403, 'escrow_required'], { amount: 501 })
  })
})

describe('platforms', () => {
  test('are created only by administrators if sign-up is closed', async () => {
    const closed = await startService({ DATABASE_URL: stage.database.url, PLATFORM_SIGNUP: 'admin' })
    try {
      const there = openApi(closed.address)
      const body = { name: 'Example Agents' }
      await there.refused(routes.createPlatform, 401, 'authentication_error', { body })
      const made = await there.ok(routes.createPlatform, {
        body,
        headers: { ...admin, origin: there.address },
      })
      expect(made.status).toBe('active')
    } finally {
      await closed.stop()
    }
  })

  test('are read, changed and deleted by administrators, and stay readable after deletion', async () => {
    const platform = await network.platform()
    const call = { params: { platform_id: platform.id }, headers: admin }
    const agent = await network.agent(await network.owner(platform))
    await api.ok(routes.updatePlatform, { ...call, body: { name: 'Renamed' } })
    await api.ok(routes.deletePlatform, call)
    expect(await api.ok(routes.getPlatform, call)).toMatchObject({ name: 'Renamed', status: 'deleted' })
    await api.refused(routes.updatePlatform, 409, 'conflict', { ...call, body: { name: 'Again' } })
    await api.refused(routes.getCurrentAgent, 401, 'authentication_error', { headers: agent.headers })
  })
})
