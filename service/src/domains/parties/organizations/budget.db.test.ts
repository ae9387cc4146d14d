import { afterAll, beforeAll, expect, test } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import type { PolicyStage, StageAgent } from '../../../testing/limits/policy-stage.ts'
import { AS_ADMIN } from '../../../testing/network-server.ts'
import { openLab, openOrganizationStage } from './testing/organization-stage.ts'

/** A quarter of an hour before a new month begins in India. */
const LATE = new Date('2026-11-30T18:15:00.000Z')

let stage: PolicyStage
let payee: StageAgent
beforeAll(async () => {
  stage = await openOrganizationStage(LATE)
  payee = await stage.newAgentOf(await stage.newOwner())
})
afterAll(() => stage.close())

test('all that an agent spent earlier in the month counts against its budget, and a new month starts at zero', async () => {
  const lab = await openLab(stage)
  const worker = await stage.newAgentOf(lab.owner)
  await stage.pay(worker, payee, 30)
  expect((await lab.join(worker, 'worker', 50)).status).toBe(201)
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 30, remaining: 20 })
  expect(await stage.payOnBoth(worker, payee, 20.01)).toEqual(['org', 'org'])
  expect(await stage.payOnBoth(worker, payee, 10)).toEqual([200, 200])
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 50, remaining: 0 })
  await stage.advance(15 * 60_000 - 100)
  expect(await stage.payOnBoth(worker, payee, 0.01)).toEqual(['org', 'org'])
  await stage.advance(200)
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 0, remaining: 50 })
  expect(await stage.payOnBoth(worker, payee, 25)).toEqual([200, 200])
  expect(await stage.payOnBoth(worker, payee, 0.01)).toEqual(['org', 'org'])
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 50, remaining: 0 })
})

test('a refusal says what is left of the budget and when the next month starts', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 40)
  await stage.pay(worker, payee, 30)
  const { status, body } = await stage.pay(worker, payee, 10.01)
  const details = { rule: 'budget_limit', layer: 'org', limit: 40, used: 30, remaining: 10 }
  const retry_at = '2026-12-31T18:30:00.000Z'
  expect([status, body['error']]).toMatchObject([
    403,
    { code: 'spend_limit_exceeded', details: { ...details, retry_at } },
  ])
})

test('a budget below the amount spent leaves nothing and no debt, and a budget of 0 stops all payments', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 40)
  await stage.pay(worker, payee, 30)
  expect(await lab.setBudget(worker, 20)).toMatchObject({ status: 200, body: { budget_limit: 20 } })
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 30, remaining: 0 })
  expect(await stage.payOnBoth(worker, payee, 0.01)).toEqual(['org', 'org'])
  await lab.setBudget(worker, 0)
  await stage.advance(31 * DAY_MS)
  expect(await stage.payOnBoth(worker, payee, 0.01)).toEqual(['org', 'org'])
  await lab.setBudget(worker, null)
  expect(await stage.payOnBoth(worker, payee, 0.01)).toEqual(['org', 'org'])
  await stage.advance(DAY_MS)
  expect(await lab.budgetOf(worker)).toMatchObject({
    budget_limit: null,
    spent_this_month: 0,
    remaining: null,
  })
  expect(await stage.payOnBoth(worker, payee, 100)).toEqual([200, 200])
})

test('a raised budget waits for the cooldown, is shown as pending, and then applies on every node', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 40)
  const raised = await lab.setBudget(worker, 90)
  const effective_at = new Date(stage.clock.now().getTime() + DAY_MS).toISOString()
  const waiting = { budget_limit: 40, pending_budget: { value: 90, effective_at } }
  expect(raised).toMatchObject({ status: 200, body: waiting })
  expect(await lab.budgetOf(worker)).toMatchObject(waiting)
  expect(await stage.payOnBoth(worker, payee, 40.01)).toEqual(['org', 'org'])
  await stage.advance(DAY_MS - 5_000)
  expect(await stage.payOnBoth(worker, payee, 40.01)).toEqual(['org', 'org'])
  await stage.advance(5_000)
  expect(await lab.budgetOf(worker)).toMatchObject({ budget_limit: 90, pending_budget: null })
  expect(await stage.payOnBoth(worker, payee, 45)).toEqual([200, 200])
  const [fact] = await stage.db.database.query<{ data: string }>(
    `select data from audit_entries where action = 'org.budget_change_applied' order by id desc limit 1`,
  )
  expect(JSON.parse(fact?.data ?? '{}')).toEqual({
    from: 40,
    to: 90,
    row: `agents/${worker.uuid}`,
    row_version: expect.any(Number),
  })
})

test('leaving an organization and joining it or another one again does not avoid the cooldown', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 40)
  expect((await lab.remove(worker)).status).toBe(200)
  expect(await stage.payOnBoth(worker, payee, 40.01)).toEqual(['org', 'org'])
  const rejoined = await lab.join(worker, 'worker', 500)
  expect(rejoined.body).toMatchObject({ budget_limit: 40, pending_budget: { value: 500 } })
  expect(await stage.payOnBoth(worker, payee, 40.01)).toEqual(['org', 'org'])

  await lab.remove(worker)
  const other = await openLab(stage, 'tier1', lab.owner)
  const elsewhere = await other.join(worker, 'treasury')
  expect(elsewhere).toMatchObject({
    status: 201,
    body: { budget_limit: 40, pending_budget: { value: null } },
  })
  expect(await stage.payOnBoth(worker, payee, 40.01)).toEqual(['org', 'org'])
  await stage.advance(DAY_MS)
  expect(await stage.payOnBoth(worker, payee, 50)).toEqual([200, 200])
})

test('a raise waits while the owner is frozen and takes effect once the owner is unfrozen', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 40)
  await lab.setBudget(worker, 90)
  const onOwner = (act: string) => stage.ask('POST', `/v1/admin/owners/${lab.owner.ownerId}/${act}`, AS_ADMIN)
  await onOwner('freeze')
  await stage.advance(2 * DAY_MS)
  expect(await lab.budgetOf(worker)).toMatchObject({ budget_limit: 40, pending_budget: { value: 90 } })
  await onOwner('unfreeze')
  await stage.advance(0)
  expect(await lab.budgetOf(worker)).toMatchObject({ budget_limit: 90, pending_budget: null })
})

test('a budget ends after the cooldown when the member is removed or becomes the treasury, and at once with its agent', async () => {
  const lab = await openLab(stage)
  const [leaver, heir, ended] = [
    await lab.hire('worker', 1),
    await lab.hire('admin', 1),
    await lab.hire('treasury'),
  ]
  expect(await lab.remove(leaver)).toMatchObject({ status: 200, body: { budget_limit: 1, role: 'worker' } })
  expect((await lab.nameTreasury(heir)).body).toMatchObject({ treasury_agent_id: heir.id })
  expect(await stage.payOnBoth(leaver, payee, 5)).toEqual(['org', 'org'])
  expect(await stage.payOnBoth(heir, payee, 5)).toEqual(['org', 'org'])
  await stage.advance(DAY_MS)
  expect(await stage.payOnBoth(leaver, payee, 5)).toEqual([200, 200])
  expect(await stage.payOnBoth(heir, payee, 5)).toEqual([200, 200])
  expect(await lab.budgetOf(ended)).toMatchObject({ role: 'worker', budget_limit: null })
  await lab.setBudget(ended, 1)

  await stage.ask('DELETE', `/v1/agents/${ended.id}`, lab.owner.platform)
  await stage.ask('DELETE', `/v1/agents/${heir.id}`, lab.owner.platform)
  expect((await lab.ask('GET', '')).body).toMatchObject({ treasury_agent_id: null })
  expect((await lab.ask('GET', '/budget')).body['members']).toEqual([])
  const left = await stage.db.database.query(
    `select id from agents where id = any($1::uuid[]) and budget_limit_paise is not null`,
    [[leaver.uuid, heir.uuid, ended.uuid]],
  )
  expect(left).toEqual([])
})

test('an allocation counts as spent by the treasury in the month, and does not reduce what the member has spent', async () => {
  const lab = await openLab(stage)
  const treasury = await lab.hire('treasury')
  const worker = await lab.hire('worker', 40)
  await lab.allocate(worker, 100)
  expect(await lab.budgetOf(worker)).toMatchObject({ spent_this_month: 0, remaining: 40 })
  expect(await lab.budgetOf(treasury)).toMatchObject({
    ...{ role: 'treasury', budget_limit: null, spent_this_month: 100, remaining: null },
  })
  const members = (await lab.ask('GET', '/budget')).body['members'] as { agent_id: string }[]
  expect(members.map(({ agent_id }) => agent_id)).toEqual([treasury.id, worker.id])
})
