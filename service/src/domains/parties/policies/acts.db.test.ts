import { afterAll, beforeAll, expect, test } from 'vitest'
import { actsDuring } from '../../../testing/acts.ts'
import {
  AS_ADMIN,
  asOwners,
  openPolicyStage,
  type PolicyStage,
} from '../../../testing/limits/policy-stage.ts'

const DAY_MS = 86_400_000
const ADMIN = { type: 'admin', id: 'xxxxxx9999' } as const
const LIMIT_INCREASES = { type: 'service', id: 'limit increases' } as const

let stage: PolicyStage
let ownerId: string

beforeAll(async () => {
  stage = await openPolicyStage(new Date('2026-11-20T06:30:00.000Z'))
  ;({ ownerId } = await stage.newOwner())
})
afterAll(() => stage.close())

const during = (work: () => Promise<unknown>) => actsDuring(stage.db.database, work)
const change = (body: object) => during(() => stage.ask('PATCH', '/api/web/policy', asOwners(ownerId), body))
const cancel = (control: string) =>
  during(() => stage.ask('DELETE', `/api/web/policy/pending/${control}`, asOwners(ownerId)))
const byOwner = (action: string, data: object, actor: object = { type: 'owner', id: ownerId }) => [
  { agentId: null, actor, action, target: ownerId, data },
]
const inADay = () => new Date(stage.clock.now().getTime() + DAY_MS).toISOString()

test('a limit that is set at once is recorded with what held before', async () => {
  const data = { controls: { spend_limit_daily: { from: null, to: 500 } } }
  expect(await change({ spend_limit_daily: 500 })).toEqual(byOwner('owner.policy_changed', data))
  expect(await change({ spend_limit_daily: 500 })).toEqual([])
})

test('a raise is recorded as waiting, not when it is asked again, and as dropped', async () => {
  const waiting = { spend_limit_daily: { value: 900, effective_at: inADay() } }
  const data = { controls: {}, waiting: { from: {}, to: waiting } }
  expect(await change({ spend_limit_daily: 900 })).toEqual(byOwner('owner.policy_changed', data))
  stage.clock.advance(1_000)
  expect(await change({ spend_limit_daily: 900 })).toEqual([])
  const dropped = { controls: {}, waiting: { from: waiting, to: {} } }
  expect(await cancel('spend_limit_daily')).toEqual(byOwner('owner.policy_change_cancelled', dropped))
  expect(await cancel('spend_limit_daily')).toEqual([])
})

test('a raise that takes effect is recorded once, of the service', async () => {
  const waiting = { spend_limit_daily: { value: 700, effective_at: inADay() } }
  await change({ spend_limit_daily: 700 })
  const applied = {
    controls: { spend_limit_daily: { from: 500, to: 700 } },
    waiting: { from: waiting, to: {} },
  }
  const act = byOwner('owner.policy_change_applied', applied, LIMIT_INCREASES)
  expect(await during(() => stage.advance(DAY_MS))).toEqual(act)
  expect(await during(() => stage.advance(DAY_MS))).toEqual([])
})

test('what was due is recorded as such before a change that comes first', async () => {
  await change({ spend_limit_daily: 800 })
  stage.clock.advance(DAY_MS)
  expect(await change({ spend_limit_daily: 100 })).toMatchObject([
    { actor: LIMIT_INCREASES, data: { controls: { spend_limit_daily: { from: 700, to: 800 } } } },
    { action: 'owner.policy_changed', data: { controls: { spend_limit_daily: { from: 800, to: 100 } } } },
  ])
})

test('a refused change is not recorded', async () => {
  expect(await change({ allowed_payees: ['network', 'network'] })).toEqual([])
  expect(await cancel('no_such_control')).toEqual([])
})

test('a tier is recorded with what changed of it, and not when nothing did', async () => {
  const set = () =>
    during(() => stage.ask('PATCH', '/v1/admin/tiers/tier3', AS_ADMIN, { per_tx: 90_000, daily: 1_000_000 }))
  expect(await set()).toEqual([
    {
      agentId: null,
      actor: ADMIN,
      action: 'tier.changed',
      target: 'tier3',
      data: { per_tx: { from: 100_000, to: 90_000 } },
    },
  ])
  expect(await set()).toEqual([])
})
