import { expect } from 'vitest'
import { factsDuring } from '../../../testing/facts.ts'
import { AS_ADMIN, asOwners, stage, test } from '../../../testing/limits/policy-stage.ts'

const DAY_MS = 86_400_000
const ADMIN = { type: 'admin', id: 'xxxxxx9999' } as const
const LIMIT_INCREASES = { type: 'service', id: 'limit increases' } as const

let ownerId: string

test.beforeAll(async () => {
  ;({ ownerId } = await stage.newOwner())
})

const during = (work: () => Promise<unknown>) => factsDuring(stage.db.database, work)
const change = (body: object) => during(() => stage.ask('PATCH', '/api/web/policy', asOwners(ownerId), body))
const cancel = (control: string) =>
  during(() => stage.ask('DELETE', `/api/web/policy/pending/${control}`, asOwners(ownerId)))
const byOwner = (action: string, data: object, actor: object = { type: 'owner', id: ownerId }) => [
  { agentId: null, actor, action, target: ownerId, data },
]
const inADay = () => new Date(stage.clock.now().getTime() + DAY_MS).toISOString()

test('a limit that takes effect at once is recorded with the value before', async () => {
  const data = { controls: { spend_limit_daily: { from: null, to: 500 } } }
  expect(await change({ spend_limit_daily: 500 })).toEqual(byOwner('owner.policy_changed', data))
  expect(await change({ spend_limit_daily: 500 })).toEqual([])
})

test('a raise is recorded as pending, not recorded when it is repeated, and recorded when it is cancelled', async () => {
  const waiting = { spend_limit_daily: { value: 900, effective_at: inADay() } }
  const data = { controls: {}, waiting: { from: {}, to: waiting } }
  expect(await change({ spend_limit_daily: 900 })).toEqual(byOwner('owner.policy_changed', data))
  stage.clock.advance(1_000)
  expect(await change({ spend_limit_daily: 900 })).toEqual([])
  const dropped = { controls: {}, waiting: { from: waiting, to: {} } }
  expect(await cancel('spend_limit_daily')).toEqual(byOwner('owner.policy_change_cancelled', dropped))
  expect(await cancel('spend_limit_daily')).toEqual([])
})

test('a raise that takes effect is recorded once, with the service as the actor', async () => {
  const waiting = { spend_limit_daily: { value: 700, effective_at: inADay() } }
  await change({ spend_limit_daily: 700 })
  const applied = {
    controls: { spend_limit_daily: { from: 500, to: 700 } },
    waiting: { from: waiting, to: {} },
  }
  const fact = byOwner('owner.policy_change_applied', applied, LIMIT_INCREASES)
  expect(await during(() => stage.advance(DAY_MS))).toEqual(fact)
  expect(await during(() => stage.advance(DAY_MS))).toEqual([])
})

test('a due change is recorded on its own before a later change', async () => {
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

test('a changed tier is recorded with the changed limits, and a change of nothing is not recorded', async () => {
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
