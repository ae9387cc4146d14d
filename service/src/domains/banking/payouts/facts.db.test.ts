import { afterAll, afterEach, beforeEach, expect } from 'vitest'
import type { AgentCaller, OwnerCaller, PlatformCaller } from '../../../http/caller.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { fund } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { factsIn, personalIn } from '../../../testing/facts.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { openPayoutNetwork, type PayoutNetwork } from '../../../testing/paying-out.ts'
import { openPayoutStage, type PayoutStage, type SentPayout } from '../../../testing/payout-stage.ts'
import { expectLeafOfEach } from '../../../testing/queued-leaves.ts'
import { call, startTestServer } from '../../../testing/test-server.ts'
import { servePayouts } from './routes.ts'

const clock = manualClock(new Date('2026-11-20T10:15:30.000Z'))
const PROVIDER = { type: 'service', id: 'payout provider' }

let people: PayoutNetwork
let stage: PayoutStage

test.beforeAll(async () => {
  people = await openPayoutNetwork(db, clock)
})
beforeEach(async () => {
  stage = await openPayoutStage(db, people, clock)
})
afterEach(() => stage.close())
afterAll(async () => {
  await expectLeafOfEach(database)
  expect(await personalIn(database)).toEqual([])
})

const factsOn = ({ id }: Pick<SentPayout, 'id'>) => factsIn(database, formatId('txn', id))

const sentFact = ({ agentId, id }: Pick<SentPayout, 'agentId' | 'id'>, kind = 'withdraw') => ({
  ...{ agentId: formatId('agt', agentId), target: formatId('txn', id) },
  data: { kind, amount: 100, transaction_id: formatId('txn', id), bank_account_last4: '7890' },
})

test('a completed payout is recorded with its UTR, once, and one that the bank reverses once more', async () => {
  const payout = await stage.withdrawn()
  await stage.moveAfter(1)
  await Promise.all([stage.moveAfter(DAY_MS), stage.move(stage.other)])
  stage.provider.become(payout.transferId, { status: 'reversed' })
  await stage.moveAfter(DAY_MS)
  await stage.moveAfter(DAY_MS)
  const { data, ...about } = sentFact(payout)
  expect(await factsOn(payout)).toEqual([
    { ...about, data, action: 'payout.requested', actor: { type: 'service', id: 'test' } },
    { ...about, data: { ...data, utr: 'UTR0' }, action: 'payout.completed', actor: PROVIDER },
    { ...about, data, action: 'payout.reversed', actor: PROVIDER },
  ])
})

test('a failed payout is recorded once, without the provider’s reason', async () => {
  const payout = await stage.withdrawn('failed')
  await stage.moveAfter(1)
  await stage.moveAfter(DAY_MS)
  const [, failed, ...more] = await factsOn(payout)
  expect(failed).toEqual({ ...sentFact(payout), action: 'payout.failed', actor: PROVIDER })
  expect(more).toEqual([])
})

test('a withdrawal is recorded for its caller; one that is refused or repeated is not recorded', async () => {
  const agentId = await people.agent()
  const [{ platformId = '', ownerId = '' } = {}] = await database.query<Record<string, Uuid>>(
    `select platform_id as "platformId", owner_id as "ownerId" from agents where id = $1`,
    [agentId],
  )
  const platform: PlatformCaller = { kind: 'platform', platformId }
  const agent: AgentCaller = { kind: 'agent', agentId, platformId, ownerId, keyHash: Buffer.alloc(32) }
  // The second of this human's owners is the owner of the agent.
  const owner: OwnerCaller = { kind: 'owner', ownerIds: [agentId, ownerId], sessionId: agentId }
  const server = await startTestServer(({ serve }) => servePayouts(serve, stage.node), {
    database,
    authenticators: { agent: () => agent, platform: () => platform, owner: () => owner },
  })
  await fund(stage.node.ledger, agentId, 30_000n)
  const path = `/v1/agents/${formatId('agt', agentId)}/withdraw`
  const withdraw = (headers: Record<string, string>, amount = 100) =>
    call(server, 'POST', path, { headers, body: { amount } })
  const once = { 'x-agent-key': 'k', 'idempotency-key': 'one withdrawal' }
  await withdraw(once)
  await withdraw(once)
  await withdraw({ 'x-agent-key': 'k' }, 1_000)
  await withdraw({ cookie: 'service_session=s', 'sec-fetch-site': 'same-origin' })
  await withdraw({ 'x-platform-id': 'p', 'x-platform-secret': 's' })
  await server.close()
  const theirs = (await factsIn(database)).filter(
    fact => fact.agentId === formatId('agt', agentId) && fact.action.startsWith('payout'),
  )
  expect(new Set(theirs.map(({ actor }) => actor.id))).toEqual(
    new Set([formatId('agt', agentId), formatId('own', ownerId), formatId('plt', platformId)]),
  )
  expect(theirs.map(({ action }) => action)).toEqual(Array.from({ length: 3 }, () => 'payout.requested'))
})
