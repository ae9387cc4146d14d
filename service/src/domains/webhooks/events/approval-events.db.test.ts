import { beforeEach, expect } from 'vitest'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { service } from '../../../operations/facts.ts'
import { approvalOf, approve, reject } from '../../../testing/approving.ts'
import { order } from '../../../testing/builders.ts'
import { held, intent } from '../../../testing/escrows.ts'
import { clock, database, newFundedAgent, node, test } from '../../../testing/ledger-test.ts'
import { eventsDuring } from '../../../testing/published-events.ts'
import { approvalExpiry } from '../../payments/approvals/expire.ts'
import { executeHold, holdCommand } from '../../payments/escrow/hold.ts'

const ACTOR = service('test')

beforeEach(() => clock.advance(1))

const during = (work: () => Promise<unknown>) => eventsDuring(database, work)
const afterRefusal = (work: () => Promise<unknown>) => during(() => expect(work()).rejects.toThrow())
const id = (uuid: Uuid) => formatId('agt', uuid)

async function approvals() {
  const payer = await newFundedAgent(100_000n, {
    require_human_approval_above_paise: 10_000n,
  })
  const payee = await newFundedAgent(1n)
  const ask = () => node.pay(order(payer, payee, 40_000n, { reference: 'invoice-1' }))
  return { payer, payee, ask }
}

test('agent.approval.requested and agent.approval.approved are recorded for the payer’s platform, the latter in the payment’s commit', async () => {
  const { payer, payee, ask } = await approvals()
  let asked: Awaited<ReturnType<typeof ask>> | undefined
  const requested = await during(async () => {
    asked = await ask()
  })
  const data = {
    ...{ approval_id: asked?.approval_id, agent_id: id(payer), kind: 'payment', to: id(payee) },
    ...{
      amount: 400,
      fee: 2,
      reference: 'invoice-1',
      payment_id: null,
      escrow_id: null,
      authorization_id: null,
    },
    expires_at: new Date(clock.now().getTime() + DAY_MS).toISOString(),
  }
  expect(requested).toEqual([{ to: payer, event: 'agent.approval.requested', sequence: 1, data }])
  const approval = await approvalOf(database, asked ?? (await ask()))
  clock.advance(1)
  const approved = await during(() => approve(node, approval))
  const payment_id = approved[0]?.data['payment_id']
  expect(approved).toMatchObject([
    { to: payer, event: 'agent.payment.sent', sequence: 2, data: { payment_id } },
    { to: payee, event: 'agent.payment.received', sequence: 2, data: { payment_id } },
    { to: payer, event: 'agent.approval.approved', sequence: 2, data: { ...data, payment_id } },
  ])
  expect(approved).toHaveLength(3)
  expect(await afterRefusal(() => approve(node, approval))).toEqual([])
  expect(await afterRefusal(() => reject(node, approval))).toEqual([])
})

test('an approval whose payment is refused records no event', async () => {
  const { payer, ask } = await approvals()
  const approval = await approvalOf(database, await ask())
  for (let times = 0; times < 7; times++) await held(database, node, intent(payer, 10_000n))
  expect(await afterRefusal(() => approve(node, approval))).toEqual([])
  await reject(node, approval)
})

test('agent.approval.approved of a hold names the escrow, whose own event comes first', async () => {
  const { payer } = await approvals()
  const asked = await during(() =>
    node.ledger.submit(holdCommand(node.agents, intent(payer, 40_000n), { actor: ACTOR, keyHash: null })),
  )
  expect(asked).toMatchObject([
    { event: 'agent.approval.requested', data: { kind: 'escrow_hold', to: null, fee: 0 } },
  ])
  const approval = await approvalOf(database, {
    approval_id: String(asked[0]?.data['approval_id']),
  })
  const approved = await during(() =>
    node.ledger.submit(executeHold(node.agents)(approval, { actor: ACTOR, evidence: null })),
  )
  expect(approved.map(({ to, event, sequence }) => [to, event, sequence])).toEqual([
    [payer, 'agent.escrow.held', 2],
    [payer, 'agent.approval.approved', 2],
  ])
  expect(approved[1]?.data).toMatchObject({ payment_id: null, escrow_id: approved[0]?.data['escrow_id'] })
})

test('a rejection records agent.approval.rejected for the payer’s platform', async () => {
  const { payer, ask } = await approvals()
  const approval = await approvalOf(database, await ask())
  const events = await during(() => reject(node, approval))
  expect(events).toMatchObject([
    { to: payer, event: 'agent.approval.rejected', sequence: 1, data: { payment_id: null } },
  ])
  expect(events).toHaveLength(1)
  expect(await afterRefusal(() => reject(node, approval))).toEqual([])
})

test('an expiry records agent.approval.expired for the payer’s platform', async () => {
  const { payer, ask } = await approvals()
  await ask()
  const expire = () => approvalExpiry(node).run(clock.now())
  clock.advance(DAY_MS)
  const events = await during(expire)
  expect(events).toMatchObject([
    { to: payer, event: 'agent.approval.expired', data: { agent_id: id(payer) } },
  ])
  expect(await during(expire)).toEqual([])
})
