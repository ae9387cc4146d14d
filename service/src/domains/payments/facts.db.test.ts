import { afterAll, beforeEach, expect } from 'vitest'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { changeAgent } from '../../testing/builders.ts'
import { database, db, test } from '../../testing/database-test.ts'
import { factsDuring, factsIn } from '../../testing/facts.ts'
import { manualClock } from '../../testing/manual-clock.ts'
import { agentPath, type MoneyServer, openMoneyServer } from '../../testing/money-server.ts'
import { expectLeafOfEach, queuedCommits } from '../../testing/queued-leaves.ts'

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

async function pay(amount: number, more: object = {}) {
  const body = { to: formatId('agt', payee), amount, ...more }
  return (await server.as('agent', payer, agentPath(payer, 'pay'), body)).body
}

/** The audit events of a commit, and the ids of its log leaves. */
async function leftBy(work: () => Promise<unknown>) {
  const before = (await queuedCommits(database)).length
  const facts = await factsDuring(database, work)
  return { facts, commits: (await queuedCommits(database)).slice(before) }
}

const NOTHING = { facts: [], commits: [] }

test('a payment adds its leaf to the log in its own commit, under its own id, and no audit entry', async () => {
  let paid: Uuid | null = null
  const left = await leftBy(async () => {
    paid = parseId('pay', String((await pay(50))['payment_id']))
  })
  expect(left).toEqual({ facts: [], commits: [[paid]] })
})

test('a payment that is refused or repeated adds nothing to the log', async () => {
  await pay(50, { idempotency_key: 'k' })
  expect(
    await leftBy(async () => {
      expect(await pay(50, { idempotency_key: 'k' })).toHaveProperty('error.code', 'idempotency_error')
      expect(await pay(980)).toHaveProperty('error.code', 'insufficient_balance')
      await changeAgent(database, payee, { status: 'paused' })
      expect(await pay(50)).toHaveProperty('error.code', 'validation_error')
    }),
  ).toEqual(NOTHING)
})

test('a payment that its owner approves adds its leaf next to that of the approval, in one commit', async () => {
  const { approval_id } = await pay(200)
  let paid: unknown
  const { facts, commits } = await leftBy(async () => {
    const { body } = await server.as('owner', payer, `/v1/approvals/${String(approval_id)}/approve`)
    paid = body['payment_id']
  })
  expect(facts).toMatchObject([
    { action: 'approval.approved', target: approval_id, data: { payment_id: paid } },
  ])
  expect(commits).toHaveLength(1)
  expect(commits[0]).toHaveLength(2)
  expect(commits[0]).toContain(parseId('pay', String(paid)))
})

test('a refund is recorded as the payee’s audit event and names its payment; one that is refused records nothing', async () => {
  const { payment_id } = await pay(50)
  const path = `/v1/payments/${String(payment_id)}/refund`
  let refund: Readonly<Record<string, unknown>> = {}
  const { facts, commits } = await leftBy(async () => {
    refund = (await server.as('agent', payee, path, { amount: 20, idempotency_key: 'r' })).body
  })
  const id = formatId('agt', payee)
  expect(facts).toEqual([
    {
      agentId: id,
      actor: { type: 'agent', id },
      action: 'payment.refunded',
      target: refund['refund_id'],
      data: {
        ...{ payment_id, to: formatId('agt', payer), amount: 20 },
        transaction_id: refund['transaction_id'],
      },
    },
  ])
  expect(commits.flat()).toHaveLength(1)
  expect(
    await leftBy(async () => {
      await server.as('agent', payee, path, { amount: 20, idempotency_key: 'r' })
      await server.as('agent', payee, path, { amount: 31 })
      await server.as('agent', payer, path, {})
    }),
  ).toEqual(NOTHING)
  expect(await factsIn(database, String(refund['refund_id']))).toHaveLength(1)
})
