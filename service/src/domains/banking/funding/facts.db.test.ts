import { randomUUID } from 'node:crypto'
import type { SandboxOutcome } from '@batua/contract'
import { afterAll, expect } from 'vitest'
import type { AgentCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { factsIn, personalIn, secretsInLog } from '../../../testing/facts.ts'
import { TEST_VAULT } from '../../../testing/network.ts'
import { expectLeafOfEach } from '../../../testing/queued-leaves.ts'
import { call, startTestServer } from '../../../testing/test-server.ts'
import { simulateOutcome } from '../../sandbox/simulate-outcome.ts'
import { test, world } from '../../sandbox/testing/world.ts'
import { orderIdOf } from './apply-funding-update.ts'
import { checkFunding, endFunding } from './check-funding.ts'
import { serveFunding } from './routes.ts'

const GATEWAY = { type: 'service', id: 'payment gateway' }
const TEST = { type: 'service', id: 'test' }

afterAll(async () => {
  await expectLeafOfEach(world.db.database)
  expect(await personalIn(world.db.database)).toEqual([])
})

async function opened(agentId?: Uuid) {
  const { funding, session } = await world.open(agentId ?? (await world.newAgentOfNewOwner()))
  const about = { agentId: formatId('agt', funding.agentId), target: orderIdOf(funding) }
  return { funding, session, about }
}

async function simulate(session: string, ...outcomes: SandboxOutcome[]): Promise<void> {
  for (const outcome of outcomes) await simulateOutcome(world.sandbox, session, outcome)
}

async function later(seconds: number): Promise<void> {
  world.advance(seconds)
  await world.jobs.runDue()
}

test('opening, completing and reversing a funding are each recorded once, however often they are notified', async () => {
  const { funding, session, about } = await opened()
  await simulate(session, 'duplicate')
  await Promise.all([checkFunding(world.funding, funding), checkFunding(world.funding, funding)])
  await simulate(session, 'chargeback')
  await later(3_600)
  const money = { fee: 25, net_amount: 975 }
  expect(await factsIn(world.db.database, about.target)).toMatchObject([
    {
      ...{ ...about, action: 'funding.opened', actor: TEST },
      data: { amount: 1000, method: 'link', expires_at: funding.expiresAt.toISOString() },
    },
    { ...about, action: 'funding.completed', actor: GATEWAY, data: { amount: 1000, ...money } },
    { ...about, action: 'funding.reversed', actor: GATEWAY, data: { amount: 1000, ...money } },
  ])
})

test('a session that is cancelled twice at the same time is recorded as failed once, with its reason', async () => {
  const { funding, about } = await opened()
  const ends = Array.from({ length: 3 }, () => endFunding(world.funding, funding, 'cancelled'))
  await Promise.all(ends)
  await later(3_600)
  const [, failed, ...more] = await factsIn(world.db.database, about.target)
  const data = { amount: 1000, method: 'link', reason: 'cancelled' }
  expect(failed).toEqual({ ...about, action: 'funding.failed', actor: GATEWAY, data })
  expect(more).toEqual([])
})

test('a refund to the payer is recorded once it is done, or once it certainly cannot be done', async () => {
  for (const [outcome, action, reason] of [
    ['late', 'funding.refunded', 'late'],
    ['refund_failed', 'funding.refund_failed', 'second_payment'],
  ] as const) {
    const { session, about } = await opened()
    await simulate(session, outcome)
    await later(1)
    await later(24 * 60 * 60)
    const facts = await factsIn(world.db.database)
    const { target, agentId } = about
    expect(facts.filter(({ data }) => data['funding_id'] === target)).toMatchObject([
      { ...{ agentId, action, actor: GATEWAY }, data: { amount: 1000, currency: 'INR', reason } },
    ])
  }
})

test('opening a funding is recorded for the caller, and the payer’s UPI id is stored nowhere', async () => {
  const agentId = await world.newAgentOfNewOwner()
  const [row] = await world.db.database.query<{ platformId: Uuid; ownerId: Uuid; phone: Buffer }>(
    `select a.platform_id as "platformId", a.owner_id as "ownerId", o.phone
     from agents a join owners o on o.id = a.owner_id where a.id = $1`,
    [agentId],
  )
  const { platformId = '', ownerId = '', phone = Buffer.alloc(0) } = row ?? {}
  const platform: PlatformCaller = { kind: 'platform', platformId }
  const agent: AgentCaller = { kind: 'agent', agentId, platformId, ownerId, keyHash: Buffer.alloc(32) }
  const owner: OwnerCaller = { kind: 'owner', ownerIds: [randomUUID(), ownerId], sessionId: ownerId }
  const server = await startTestServer(({ serve }) => serveFunding(serve, world.funding), {
    authenticators: { agent: () => agent, platform: () => platform, owner: () => owner },
  })
  const ask = (headers: Record<string, string>, path: string, body: object) =>
    call(server, 'POST', path, { headers, body })
  const session = { cookie: 'service_session=s', 'sec-fetch-site': 'same-origin' }
  const path = `/v1/agents/${formatId('agt', agentId)}/fund`
  await ask({ 'x-agent-key': 'k' }, path, { amount: 100 })
  await ask({ 'x-agent-key': 'k' }, path, { amount: 0 })
  await ask({ 'x-platform-id': 'p', 'x-platform-secret': 's' }, path, { amount: 200, method: 'card' })
  await ask(session, path, { amount: 250, method: 'netbanking' })
  const byUpi = { amount: 300, upi_id: 'asha@gocash' }
  expect(
    (await ask({ 'x-agent-key': 'k' }, `/api/web/fund/${formatId('agt', agentId)}/upi`, byUpi)).status,
  ).toBe(201)
  await server.close()
  const facts = (await factsIn(world.db.database)).filter(fact => fact.agentId === formatId('agt', agentId))
  expect(facts.filter(({ action }) => action.startsWith('funding.'))).toMatchObject([
    { action: 'funding.opened', actor: { id: formatId('agt', agentId) }, data: { method: 'link' } },
    { action: 'funding.opened', actor: { id: formatId('plt', platformId) }, data: { method: 'card' } },
    { action: 'funding.opened', actor: { id: formatId('own', ownerId) }, data: { method: 'netbanking' } },
    { action: 'funding.opened', actor: { id: formatId('agt', agentId) }, data: { method: 'upi' } },
  ])
  expect(
    await secretsInLog(world.db.database, ['gocash', TEST_VAULT.decrypt(phone, `owners.phone:${ownerId}`)]),
  ).toEqual([])
})
