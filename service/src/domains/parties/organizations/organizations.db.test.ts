import { expect } from 'vitest'
import { expectBalanced } from '../../../testing/builders.ts'
import { factsIn } from '../../../testing/facts.ts'
import { asOwners, type Headers } from '../../../testing/limits/policy-stage.ts'
import { openLab, outcomeOf, stage, test } from './testing/organization-stage.ts'

test('a new organization is active, has no members and the maximum size of its tier', async () => {
  for (const [tier, most] of [
    ['tier1', 5],
    ['tier2', 20],
    ['tier3', 100],
  ] as const) {
    const lab = await openLab(stage, tier)
    expect(lab.org).toMatchObject({
      name: 'Research Lab',
      owner_id: lab.owner.ownerId,
      ...{ tier, max_agents: most, status: 'active', treasury_agent_id: null },
    })
    expect((await lab.ask('GET', '')).body).toEqual(lab.org)
    expect((await lab.ask('GET', '/budget')).body).toEqual({ org_id: lab.org.id, members: [] })
  }
})

test('a session of several owners creates an organization for the owner that it names, and lists those of all', async () => {
  const [one, other] = [await stage.newOwner(), await stage.newOwner()]
  const session = asOwners(one.ownerId, other.ownerId)
  const body = { name: 'Lab', tier: 'tier1' }
  const unclear = await stage.ask('POST', '/v1/orgs', session, body)
  expect([unclear.status, unclear.body['error']]).toMatchObject([400, { field: 'owner_id' }])
  const stranger = (await stage.newOwner()).ownerId
  expect((await stage.ask('POST', '/v1/orgs', session, { ...body, owner_id: stranger })).status).toBe(404)
  for (const { ownerId } of [one, other]) {
    stage.clock.advance(1)
    const founded = await stage.ask('POST', '/v1/orgs', session, { ...body, owner_id: ownerId })
    expect(founded).toMatchObject({ status: 201, body: { owner_id: ownerId } })
  }
  const listed = async (query: string, headers = session) => {
    const { body: list } = await stage.ask('GET', `/v1/orgs${query}`, headers)
    return (list['organizations'] as { owner_id: string }[]).map(({ owner_id }) => owner_id)
  }
  expect(await listed('')).toEqual([other.ownerId, one.ownerId])
  expect(await listed(`?owner_id=${one.ownerId}`)).toEqual([one.ownerId])
  expect(await listed(`?owner_id=${one.ownerId}`, one.platform)).toEqual([one.ownerId])
  expect(await listed(`?owner_id=${stranger}`)).toEqual([])
  expect(await listed('', one.platform)).toEqual([one.ownerId])
})

test('a platform can read but not change its owners’ organizations, and other parties get not found', async () => {
  const lab = await openLab(stage)
  const worker = await lab.hire('worker', 10)
  const stranger = await stage.newOwner()
  const changes = [
    ['POST', '/agents', { agent_id: worker.id, role: 'worker' }],
    ['PATCH', `/agents/${worker.id}`, { budget_limit: 20 }],
    ['DELETE', `/agents/${worker.id}`, undefined],
    ['POST', '/treasury', { agent_id: worker.id }],
    ['POST', '/allocate', { agent_id: worker.id, amount: 1 }],
  ] as const
  for (const rest of ['', '/transactions', '/budget']) {
    expect((await stage.ask('GET', lab.path + rest, lab.owner.platform)).status).toBe(200)
    for (const headers of [stranger.platform, asOwners(stranger.ownerId)]) {
      expect(outcomeOf(await stage.ask('GET', lab.path + rest, headers))).toBe('not_found')
    }
  }
  for (const [method, rest, body] of changes) {
    const path = lab.path + rest
    expect(outcomeOf(await stage.ask(method, path, lab.owner.platform, body))).toBe('authentication_error')
    expect(outcomeOf(await stage.ask(method, path, asOwners(stranger.ownerId), body))).toBe('not_found')
  }
  expect(await lab.budgetOf(worker)).toMatchObject({ role: 'worker', budget_limit: 10 })
})

test('an allocation has no fee, and both statements show it as a transfer and not as a payment', async () => {
  const lab = await openLab(stage)
  const treasury = await lab.hire('treasury')
  const worker = await lab.hire('worker')
  const { platform } = lab.owner
  const [from, to] = [await totals(treasury.id, platform), await totals(worker.id, platform)]
  const { status, body } = await lab.allocate(worker, 12.34)
  const left = { ...from, available: plus(from.available, -12.34) }
  const got = {
    ...to,
    available: plus(to.available, 12.34),
    total_funded: plus(to.total_funded, 12.34),
  }
  expect([status, body]).toEqual([
    200,
    {
      org_id: lab.org.id,
      agent_id: worker.id,
      amount: 12.34,
      transaction_id: expect.stringMatching(/^txn_/),
      treasury_balance: left.available,
      agent_balance: got.available,
    },
  ])
  expect([await totals(treasury.id, platform), await totals(worker.id, platform)]).toEqual([left, got])
  expect((await lab.budgetOf(treasury))?.['spent_this_month']).toBe(12.34)

  await stage.pay(worker, treasury, 5)
  const lines = (await lab.ask('GET', '/transactions?limit=4')).body['transactions'] as object[]
  expect(lines).toMatchObject([
    { type: 'pay_in', counterparty_id: worker.id, amount: 5 },
    { type: 'pay_out', counterparty_id: treasury.id, amount: 5, fee: 1 },
    { type: 'pay_in', counterparty_id: treasury.id, amount: 12.34, fee: 0, net_amount: 12.34 },
    { type: 'pay_out', counterparty_id: worker.id, amount: 12.34, fee: 0, net_amount: 12.34 },
  ])
  expect(lines[3]).toMatchObject({ id: body['transaction_id'], status: 'completed', reference: null })
  const own = await stage.ask('GET', `/v1/agents/${treasury.id}/transactions`, lab.owner.platform)
  expect((own.body['transactions'] as object[])[1]).toEqual(lines[3])

  // An allocation is not a payment.
  const verified = await stage.ask(
    'GET',
    `/v1/transactions/${String(body['transaction_id'])}/verify`,
    worker.headers,
  )
  expect(verified.body).toMatchObject({ verified: false, reason: 'not_payee' })
  expect((await lab.remove(worker)).status).toBe(200)
  const { transactions, pagination } = (await lab.ask('GET', '/transactions')).body as {
    transactions: { agent_name: string }[]
    pagination: { total: number }
  }
  expect([transactions.length, pagination.total]).toEqual([2, 2])
  await expectBalanced(stage.db.database)
})

test('every change of an organization is recorded with the owner as the actor', async () => {
  const lab = await openLab(stage)
  const treasury = await lab.hire('admin', 30)
  const worker = await lab.hire('treasury')
  await lab.ask('PATCH', `/agents/${treasury.id}`, { role: 'worker', budget_limit: null })
  await lab.ask('PATCH', `/agents/${treasury.id}`, {})
  await lab.nameTreasury(treasury)
  await lab.nameTreasury(treasury)
  const { body } = await lab.allocate(worker, 7)
  await lab.remove(worker)
  const actor = { type: 'owner', id: lab.owner.ownerId }
  const fact = (action: string, agentId: string | null, data: object) => ({
    ...{ action, agentId, actor, data },
    target: lab.org.id,
  })
  const terms = (role: string, budget_limit: number | null) => ({ role, budget_limit })
  const from = terms('treasury', null)
  const pending_budget = { value: null, effective_at: expect.any(String) }
  const recorded = await factsIn(stage.db.database, lab.org.id)
  const expected = [
    fact('org.created', null, { owner_id: lab.owner.ownerId, name: 'Research Lab', tier: 'tier1' }),
    fact('org.member_added', treasury.id, terms('admin', 30)),
    fact('org.member_added', worker.id, from),
    fact('org.member_changed', treasury.id, {
      from: terms('admin', 30),
      to: { ...terms('worker', 30), pending_budget },
    }),
    fact('org.treasury_named', treasury.id, {
      from: { ...terms('worker', 30), pending_budget },
      to: { ...terms('treasury', 30), pending_budget },
      previous_treasury: worker.id,
    }),
    fact('org.member_changed', worker.id, { from, to: terms('worker', null) }),
    fact('org.allocated', treasury.id, {
      ...{ to_agent_id: worker.id, amount: 7, transaction_id: body['transaction_id'] },
    }),
    fact('org.member_removed', worker.id, terms('worker', null)),
  ]
  expect(recorded).toHaveLength(expected.length)
  expect(recorded).toEqual(expect.arrayContaining(expected))
})

test('a repeated Idempotency-Key allocates once, even if another agent is the treasury by then', async () => {
  const lab = await openLab(stage)
  const first = await lab.hire('treasury')
  const worker = await lab.hire('worker')
  const key = { 'idempotency-key': 'allocation-1' }
  const made = await lab.allocate(worker, 10, 0, key)
  expect(made.status).toBe(200)
  // Each call has a session of its own, as if the response was lost and the owner logged in again.
  const second = await lab.hire('admin')
  for (const treasury of [first, second]) {
    expect((await lab.nameTreasury(treasury)).status).toBe(200)
    const again = await lab.allocate(worker, 10, 1, key)
    expect(again).toMatchObject({
      status: 409,
      body: {
        error: {
          code: 'idempotency_error',
          details: { transaction_id: made.body['transaction_id'], agent_id: worker.id, amount: 10 },
        },
      },
    })
  }
  // Another organization may use the same key, with the same agent as its treasury.
  await lab.nameTreasury(second)
  await lab.remove(first)
  const other = await openLab(stage, 'tier1', lab.owner)
  await other.join(first, 'treasury')
  const colleague = await other.hire('worker')
  expect((await other.allocate(colleague, 10, 0, key)).status).toBe(200)
})

interface Totals {
  readonly available: number
  readonly total_funded: number
  readonly total_spent: number
}

/** The balance of a wallet, in INR. */
async function totals(agentId: string, platform: Headers): Promise<Totals> {
  const { body } = await stage.ask('GET', `/v1/agents/${agentId}/balance`, platform)
  const { available, total_funded, total_spent } = body as unknown as Totals
  return { available, total_funded, total_spent }
}

function plus(rupees: number, more: number): number {
  return Math.round((rupees + more) * 100) / 100
}
