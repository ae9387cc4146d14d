import { afterAll, beforeEach, expect } from 'vitest'
import { openDatabase } from '../../../db/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { approvalOf, approve, reject } from '../../../testing/approving.ts'
import { changeAgent, order, outcomesOf, startNode } from '../../../testing/builders.ts'
import { database, db, test } from '../../../testing/database-test.ts'
import { factsIn } from '../../../testing/facts.ts'
import { type Fault, faultyDatabase } from '../../../testing/faulty-database.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { agentPath, type MoneyServer, openMoneyServer } from '../../../testing/money-server.ts'
import { expectLeafOfEach } from '../../../testing/queued-leaves.ts'
import { approvalExpiry } from './expire.ts'
import { selectApproval } from './store.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const ASKS = { require_human_approval_above_paise: 10_000n }
let server: MoneyServer
let payer: Uuid
let payee: Uuid

test.beforeAll(async () => {
  server = await openMoneyServer(db, clock)
})
beforeEach(async () => {
  payer = await server.agent(ASKS)
  payee = await server.agent()
  clock.advance(1)
})
afterAll(async () => {
  await expectLeafOfEach(database)
  await server.close()
})

const agent = (id: Uuid) => ({ type: 'agent', id: formatId('agt', id) })
const owner = (id: Uuid) => ({ type: 'owner', id: formatId('own', id) })

async function askForPayment(): Promise<string> {
  const body = { to: formatId('agt', payee), amount: 110 }
  return waitingIn(await server.as('agent', payer, agentPath(payer, 'pay'), body))
}

async function askForHold(): Promise<string> {
  const body = { amount: 110 }
  return waitingIn(await server.as('platform', payer, agentPath(payer, 'escrow/hold'), body))
}

function waitingIn({ body }: { readonly body: Record<string, unknown> }): string {
  expect(body).toMatchObject({ status: 'pending_approval' })
  return String(body['approval_id'])
}

const decide = (id: string, word: 'approve' | 'reject') =>
  server.as('owner', payer, `/v1/approvals/${id}/${word}`)

const expire = () => approvalExpiry(server.node).run(clock.now())

const actionsOn = async (target: string) => (await factsIn(database, target)).map(({ action }) => action)

test('a request is recorded for the agent and an approval for the owner, each once, however often it is tried', async () => {
  const expires_at = new Date(clock.now().getTime() + DAY_MS).toISOString()
  const id = await askForPayment()
  clock.advance(1)
  await changeAgent(database, payee, { status: 'paused' })
  expect((await decide(id, 'approve')).status).toBe(400)
  await changeAgent(database, payee, { status: 'active' })
  const { body } = await decide(id, 'approve')
  expect((await decide(id, 'approve')).status).toBe(409)
  expect((await decide(id, 'reject')).status).toBe(409)
  const data = {
    ...{ kind: 'payment', to: formatId('agt', payee), amount: 110, fee: 1 },
    ...{ rule: 'require_human_approval_above', layer: 'agent', expires_at },
  }
  const about = { agentId: formatId('agt', payer), target: id }
  expect(await factsIn(database, id)).toEqual([
    { ...about, actor: agent(payer), action: 'approval.requested', data },
    {
      ...{ ...about, actor: owner(payer), action: 'approval.approved' },
      data: { ...data, payment_id: body['payment_id'] },
    },
  ])
})

test('a request for a hold is recorded for the platform; the owner’s rejection is recorded once', async () => {
  const id = await askForHold()
  clock.advance(1)
  await decide(id, 'reject')
  expect((await decide(id, 'reject')).status).toBe(409)
  expect(await factsIn(database, id)).toMatchObject([
    {
      ...{ action: 'approval.requested', actor: { type: 'platform', id: formatId('plt', payer) } },
      data: { kind: 'escrow_hold', to: null, fee: 0 },
    },
    { action: 'approval.rejected', actor: owner(payer) },
  ])
})

test('an expiry is recorded when the job writes it, once', async () => {
  const id = await askForPayment()
  clock.advance(DAY_MS - 1)
  await expire()
  expect(await actionsOn(id)).toEqual(['approval.requested'])
  clock.advance(1)
  expect((await decide(id, 'approve')).status).toBe(409)
  await Promise.all([expire(), expire()])
  const [, expired, ...more] = await factsIn(database, id)
  expect(expired).toMatchObject({
    ...{ action: 'approval.expired', agentId: formatId('agt', payer) },
    actor: { type: 'service', id: 'approval expiry' },
  })
  expect(more).toEqual([])
})

test('approving on one node and expiring on another record one audit event', async () => {
  const second = openDatabase(db.url)
  const behind = manualClock(clock.now())
  const slow = startNode({ database: second, clock: behind })
  for (let round = 0; round < 6; round++) {
    const id = await askForPayment()
    const approval = await selectApproval(database, parseId('apr', id) ?? '')
    if (approval === null) throw new Error('no approval waits')
    clock.advance(DAY_MS)
    behind.set(new Date(clock.now().getTime() - 1))
    const works = [() => approve(slow, approval), expire]
    await outcomesOf<unknown>((round % 2 === 0 ? works : works.toReversed()).map(work => work()))
    await expire()
    expect([
      ['approval.requested', 'approval.approved'],
      ['approval.requested', 'approval.expired'],
    ]).toContainEqual(await actionsOn(id))
  }
  await slow.ledger.close()
  await second.close()
})

test.each(['cut before it is sent', 'cut while it runs', 'cut after the response'] as const)(
  'a request and a rejection whose commit is %s record one audit event each',
  async fault => {
    let left = 0
    const faultOf = (text: string): Fault => (text === 'commit' && left-- === 1 ? fault : 'none')
    const node = startNode({ database: faultyDatabase(database, faultOf), clock })
    left = 1
    const approval = await approvalOf(database, await node.pay(order(payer, payee, 20_000n)))
    clock.advance(1)
    left = 1
    await reject(node, approval)
    expect(await actionsOn(formatId('apr', approval.id))).toEqual(['approval.requested', 'approval.rejected'])
    await node.ledger.close()
  },
)
