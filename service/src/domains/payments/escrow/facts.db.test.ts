import { afterAll, beforeEach, expect } from 'vitest'
import { openDatabase } from '../../../db/database.ts'
import { HOUR_MS } from '../../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { silentLogger } from '../../../kernel/logger.ts'
import { outcomesOf, startNode } from '../../../testing/builders.ts'
import { TEST_VAULT } from '../../../testing/database.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { refundOn, releaseOn, writtenEscrow } from '../../../testing/escrows.ts'
import { factsDuring, factsIn } from '../../../testing/facts.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { agentPath, type MoneyServer, openMoneyServer } from '../../../testing/money-server.ts'
import { expectLeafOfEach } from '../../../testing/queued-leaves.ts'
import { escrowTimeouts } from './timeouts.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
let server: MoneyServer
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  server = await openMoneyServer(db, clock)
})
beforeEach(async () => {
  payer = await server.agent({ require_human_approval_above_paise: 50_000n })
  payee = await server.agent()
})
afterAll(async () => {
  await expectLeafOfEach(database)
  await server.close()
})

const platform = () => ({ type: 'platform', id: formatId('plt', payer) })

async function hold(more: object = {}, way = 'hold'): Promise<string> {
  const body = { amount: 100, to_agent_id: formatId('agt', payee), reference: 'order 7', ...more }
  const response = await server.as('platform', payer, agentPath(payer, `escrow/${way}`), body)
  clock.advance(1)
  return String(response.body['escrow_id'] ?? response.body['approval_id'])
}

const end = (id: string, way: string, body: object = {}) =>
  server.as('platform', payer, `/v1/escrow/${id}/${way}`, body)

/** The fields that every audit entry of such a hold has. */
const entryOf = (id: string) => ({
  ...{ agentId: formatId('agt', payer), target: id },
  data: {
    ...{ to_agent_id: formatId('agt', payee), amount: 100, reference: 'order 7' },
    transaction_id: formatId('txn', parseId('esc', id) ?? ''),
  },
})

test('a hold and a refund are recorded for the platform, each once', async () => {
  const id = await hold()
  await end(id, 'refund')
  expect((await end(id, 'refund')).status).toBe(409)
  expect(await factsIn(database, id)).toEqual([
    { ...entryOf(id), action: 'escrow.held', actor: platform() },
    { ...entryOf(id), action: 'escrow.refunded', actor: platform() },
  ])
})

test('a release is recorded with its payee; an attestation is recorded for the attestor', async () => {
  const id = await hold()
  await end(id, 'release', { to_agent_id: formatId('agt', payee) })
  expect(await factsIn(database, id)).toMatchObject([
    { action: 'escrow.held' },
    { ...entryOf(id), action: 'escrow.released', actor: platform() },
  ])
  const attestor = await server.agent()
  const attested = await hold({ attestor_agent_id: formatId('agt', attestor) }, 'hold-with-attestation')
  await server.as('agent', attestor, `/v1/escrow/${attested}/attest`, {})
  expect(await factsIn(database, attested)).toMatchObject([
    { action: 'escrow.held' },
    {
      ...entryOf(attested),
      action: 'escrow.released',
      actor: { type: 'agent', id: formatId('agt', attestor) },
    },
  ])
})

test('a hold that its owner approves is recorded for the owner; one that is refused is not recorded', async () => {
  const approval = await hold({ amount: 600 })
  const facts = await factsDuring(database, async () => {
    await server.as('owner', payer, `/v1/approvals/${approval}/approve`)
  })
  const owner = { type: 'owner', id: formatId('own', payer) }
  expect(facts.toSorted((left, right) => (left.action < right.action ? -1 : 1))).toMatchObject([
    { action: 'approval.approved', actor: owner, target: approval },
    { action: 'escrow.held', actor: owner, data: { amount: 600 } },
  ])
  expect(facts[0]?.target === approval ? facts[0]?.data : facts[1]?.data).toMatchObject({
    escrow_id: facts.find(({ action }) => action === 'escrow.held')?.target,
  })
  expect(await factsDuring(database, () => hold({ amount: 450 }))).toEqual([])
})

test('a timeout is recorded for the service, once on however many nodes', async () => {
  const id = await hold({ timeout_hours: 1, auto_action: 'release' }, 'hold-with-timeout')
  clock.advance(HOUR_MS)
  const context = { ...server.node, database, logger: silentLogger(), vault: TEST_VAULT }
  await Promise.all([escrowTimeouts(context).run(clock.now()), escrowTimeouts(context).run(clock.now())])
  expect(await factsIn(database, id)).toMatchObject([
    { action: 'escrow.held' },
    { ...entryOf(id), action: 'escrow.released', actor: { type: 'service', id: 'escrow timeouts' } },
  ])
})

test('two nodes that end one escrow record one audit event', async () => {
  const second = openDatabase(db.url)
  const other = startNode({ database: second, clock })
  for (let round = 0; round < 4; round++) {
    const id = await hold()
    const escrow = await writtenEscrow(database, parseId('esc', id) ?? '')
    const { node } = server
    const { done } = await outcomesOf([
      releaseOn(node, escrow, payee),
      releaseOn(other, escrow, payee),
      refundOn(node, escrow),
      refundOn(other, escrow),
    ])
    expect(await factsIn(database, id)).toMatchObject([
      { action: 'escrow.held' },
      { action: `escrow.${done[0]?.status}` },
    ])
  }
  await other.ledger.close()
  await second.close()
})
