import { afterAll, beforeEach, describe, expect } from 'vitest'
import type { AgentCaller, Authenticators } from '../../../http/caller.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId, newUuid, type Uuid } from '../../../kernel/ids.ts'
import { hashSecret } from '../../../kernel/secrets.ts'
import {
  changeAgent,
  insertAgent,
  insertFundedAgent,
  startNode,
  type TestNode,
} from '../../../testing/builders.ts'
import { TEST_VAULT } from '../../../testing/database.ts'
import { db, test } from '../../../testing/database-test.ts'
import { manualClock } from '../../../testing/manual-clock.ts'
import { call, startTestServer, type TestServer } from '../../../testing/test-server.ts'
import { WITHOUT_PASSKEYS } from '../../../testing/without-passkeys.ts'
import { openHandleCache } from '../../parties/agents/find-agent.ts'
import { executePayment } from '../pay.ts'
import { servePayments } from '../routes.ts'
import { serveApprovals } from './routes.ts'

const clock = manualClock(new Date('2026-11-20T06:30:00.000Z'))
const ASKS = { require_human_approval_above_paise: 10_000n }
let node: TestNode
let server: TestServer
// Each agent in the builders is its own owner and platform.
let payer: Uuid
let payee: Uuid

/** Every credential is the uuid of its agent. */
const authenticators: Authenticators = {
  agent: (id): AgentCaller => {
    return { kind: 'agent', agentId: id, platformId: id, ownerId: id, keyHash: hashSecret(id) }
  },
  platform: id => ({ kind: 'platform', platformId: id }),
  owner: ids => ({ kind: 'owner', ownerIds: ids.split('.'), sessionId: ids }),
}
const asAgent = (id: Uuid) => ({ 'x-agent-key': id })
const asPlatform = (id: Uuid) => ({ 'x-platform-id': id, 'x-platform-secret': id })
const asOwner = (...ids: Uuid[]) => ({
  cookie: `service_session=${ids.join('.')}`,
  'sec-fetch-site': 'same-origin',
})

test.beforeAll(async () => {
  const { database } = db
  node = startNode({ database, clock })
  const core = { database, ledger: node.ledger, agents: node.agents, authenticators }
  const agentKeys = { authenticate: authenticators.agent, forget: () => undefined, recall: () => undefined }
  server = await startTestServer(
    ({ serve }) => {
      servePayments(serve, {
        ...core,
        agentKeys,
        findAgent: openHandleCache(database, TEST_VAULT),
        signals: { policyRefusal: () => undefined },
        receiptToken: async () => null,
      })
      serveApprovals(serve, {
        ...core,
        executors: { payment: executePayment(node.agents) },
        stepUp: WITHOUT_PASSKEYS,
      })
    },
    { database, clock, authenticators },
  )
})

beforeEach(async () => {
  payer = await insertFundedAgent(node.ledger, db.database, clock, 100_000n, ASKS)
  payee = await insertAgent(db.database, clock.now())
  await db.database.query(
    `insert into owners (id, platform_id, name, phone, phone_index, pan, pan_index, created_at)
     values ($1, $1, 'Asha Rao', '', '', '', '', $2)`,
    [payer, clock.now()],
  )
})

afterAll(async () => {
  await server.close()
  await node.ledger.close()
})

const path = (rest: string) => `/v1/agents/${formatId('agt', payer)}/${rest}`
const record = (body: unknown) => body as Record<string, unknown>

async function ask(amount = 200, more: object = {}): Promise<string> {
  const body = { to: formatId('agt', payee), amount, ...more }
  const reply = await call(server, 'POST', path('pay'), { headers: asAgent(payer), body })
  expect(reply).toMatchObject({ status: 200, body: { status: 'pending_approval', payment_id: null } })
  return String(record(reply.body)['approval_id'])
}

const owner = (method: string, rest: string, headers = asOwner(payer)) =>
  call(server, method, `/v1/approvals${rest}`, { headers })

describe('an approval', () => {
  test('is shown to its owner, its agent and its platform, and to no other caller', async () => {
    const id = await ask(200, { reference: 'r', note: 'a\nb', idempotency_key: 'k' })
    const shown = {
      ...{ approval_id: id, agent_id: formatId('agt', payer), agent_name: 'An agent', kind: 'payment' },
      ...{
        to: formatId('agt', payee),
        to_name: 'An agent',
        amount: 200,
        fee: 1,
        reference: 'r',
        note: 'a\nb',
        timeout_hours: null,
        auto_action: null,
        attestor_agent_id: null,
        expires_in: null,
        authorization_id: null,
        context: null,
        app: null,
        first_payment_to_payee: true,
        paid_to_payee_before: 0,
        headroom_after: expect.any(Array),
      },
      ...{
        rule: 'require_human_approval_above',
        policy_version: expect.any(String),
        status: 'pending_approval',
      },
      ...{ created_at: clock.now().toISOString(), decided_at: null, payment_id: null, escrow_id: null },
      rejection_reason: null,
      evidence: null,
      expires_at: new Date(clock.now().getTime() + DAY_MS).toISOString(),
    }
    const other = newUuid(clock.now())
    for (const headers of [asOwner(other, payer), asAgent(payer), asPlatform(payer)]) {
      const reply = await call(server, 'GET', `/v1/approvals/${id}`, { headers })
      expect(reply).toMatchObject({ status: 200 })
      expect(reply.body).toEqual(shown)
    }
    for (const headers of [asOwner(other), asAgent(payee), asPlatform(other)]) {
      const reply = await call(server, 'GET', `/v1/approvals/${id}`, { headers })
      expect(reply).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } })
    }
  })

  test('can be decided by its owner alone', async () => {
    const id = await ask()
    for (const act of ['approve', 'reject']) {
      expect(await owner('POST', `/${id}/${act}`, asOwner(payee))).toMatchObject({ status: 404 })
      for (const headers of [asAgent(payer), asPlatform(payer), {}]) {
        const reply = await call(server, 'POST', `/v1/approvals/${id}/${act}`, { headers })
        expect(reply).toMatchObject({ status: 401 })
      }
      const unknown = formatId('apr', newUuid(clock.now()))
      for (const address of [unknown, id.replace('apr_', 'pay_'), 'x']) {
        expect(await owner('POST', `/${address}/${act}`)).toMatchObject({ status: 404 })
      }
    }
    expect((await owner('GET', `/${id}`)).body).toMatchObject({ status: 'pending_approval' })
  })

  test('returns the payment when approved, and a conflict that says so when approved again', async () => {
    const id = await ask(200, { idempotency_key: 'k' })
    clock.advance(1_000)
    const approved = await owner('POST', `/${id}/approve`)
    const { payment } = record(approved.body)
    const { payment_id } = record(payment)
    expect(approved).toMatchObject({
      status: 200,
      body: { approval_id: id, status: 'approved', decided_at: clock.now().toISOString(), payment_id },
    })
    expect(payment).toMatchObject({ status: 'completed', from_balance: 799, cost: 1 })
    for (const act of ['approve', 'reject']) {
      expect(await owner('POST', `/${id}/${act}`)).toMatchObject({
        ...{ status: 409, body: { error: { code: 'conflict', details: { status: 'approved' } } } },
      })
    }
    const { payment: _, ...rest } = record(approved.body)
    expect((await owner('GET', `/${id}`)).body).toEqual(rest)
  })

  test('returns the record when rejected, and nothing is paid', async () => {
    const id = await ask()
    expect(await owner('POST', `/${id}/reject`)).toMatchObject({
      ...{ status: 200, body: { approval_id: id, status: 'rejected', payment_id: null } },
    })
    expect(await owner('POST', `/${id}/approve`)).toMatchObject({ status: 409 })
  })

  test('that cannot be paid returns the refusal, still waits, and passes later', async () => {
    const id = await ask()
    await changeAgent(db.database, payee, { status: 'paused' })
    expect(await owner('POST', `/${id}/approve`)).toMatchObject({
      ...{ status: 400, body: { error: { code: 'validation_error', field: 'to' } } },
    })
    await changeAgent(db.database, payee, { status: 'active' })
    expect(await owner('POST', `/${id}/approve`)).toMatchObject({ status: 200 })
  })
})

describe('the list of approvals', () => {
  const idsOf = (body: unknown) =>
    (record(body)['approvals'] as Record<string, unknown>[]).map(each => each['approval_id'])

  test('contains what waits by default, and changes at the millisecond of expiry', async () => {
    const [waits, approved, rejected] = [await ask(), await ask(), await ask()]
    await owner('POST', `/${approved}/approve`)
    await owner('POST', `/${rejected}/reject`)
    const listed = async (status?: string) =>
      idsOf((await owner('GET', status === undefined ? '' : `?status=${status}`)).body)
    expect(await listed()).toEqual([waits])
    expect(await listed('pending_approval')).toEqual([waits])
    expect(await listed('approved')).toEqual([approved])
    expect(await listed('rejected')).toEqual([rejected])
    clock.advance(DAY_MS - 1)
    expect([await listed(), await listed('expired')]).toEqual([[waits], []])
    clock.advance(1)
    expect([await listed(), await listed('expired')]).toEqual([[], [waits]])
    expect(await owner('GET', '?status=done')).toMatchObject({ status: 400 })
  })

  test('includes all owners of the session and can be narrowed to one agent', async () => {
    const mine = await ask()
    const first = payer
    payer = await insertFundedAgent(node.ledger, db.database, clock, 100_000n, ASKS)
    const other = await ask()
    const both = asOwner(first, payer)
    expect(idsOf((await owner('GET', '', both)).body)).toEqual([other, mine])
    const narrowed = await owner('GET', `?agent_id=${formatId('agt', first)}`, both)
    expect(idsOf(narrowed.body)).toEqual([mine])
    const stranger = await owner('GET', `?agent_id=${formatId('agt', first)}`, asOwner(payer))
    expect(idsOf(stranger.body)).toEqual([])
  })

  test('has pages that show each approval once', async () => {
    const asked: string[] = []
    for (let each = 0; each < 7; each++) asked.unshift(await ask())
    const seen: unknown[] = []
    let next = ''
    do {
      const { body } = await owner('GET', `?limit=3${next}`)
      seen.push(...idsOf(body))
      const { total, next_cursor } = record(record(body)['pagination'])
      expect(total).toBe(7)
      next = typeof next_cursor === 'string' ? `&cursor=${next_cursor}` : ''
    } while (next !== '')
    expect(seen).toEqual(asked)
  })
})

describe('the query for payments by key or reference', () => {
  const found = async (query: string) => {
    const { body } = await call(server, 'GET', path(`payments${query}`), { headers: asAgent(payer) })
    return record(body)['payments'] as Record<string, unknown>[]
  }

  test('finds an approval that waits, and after its approval the payment instead', async () => {
    const id = await ask(200, { reference: 'r', idempotency_key: 'k' })
    const waiting = {
      ...{ payment_id: null, status: 'pending_approval', approval_id: id, from_balance: 1000, cost: 1 },
      ...{ from: formatId('agt', payer), to: formatId('agt', payee), amount: 200, reference: 'r' },
      refunded_total: 0,
      context: null,
      policy_version: expect.any(String),
      created_at: clock.now().toISOString(),
    }
    for (const query of ['?idempotency_key=k', '?reference=r', '?idempotency_key=k&reference=r']) {
      expect(await found(query)).toEqual([waiting])
    }
    expect(await found('?idempotency_key=other')).toEqual([])
    await owner('POST', `/${id}/approve`)
    for (const query of ['?idempotency_key=k', '?reference=r']) {
      expect(await found(query)).toMatchObject([{ status: 'completed', from_balance: 799 }])
    }
  })

  test('finds nothing of what was rejected or has expired', async () => {
    const rejected = await ask(200, { idempotency_key: 'k1' })
    await ask(200, { idempotency_key: 'k2' })
    await owner('POST', `/${rejected}/reject`)
    clock.advance(DAY_MS)
    expect([...(await found('?idempotency_key=k1')), ...(await found('?idempotency_key=k2'))]).toEqual([])
  })

  test.each(['cursor', 'offset'])('has pages over both, newest first, by %s', async way => {
    const wanted: unknown[] = []
    for (let each = 0; each < 10; each++) {
      clock.advance(1)
      if (each % 3 === 0) wanted.unshift(await ask(200, { reference: 'r' }))
      else {
        const body = { to: formatId('agt', payee), amount: 1, reference: 'r' }
        const reply = await call(server, 'POST', path('pay'), { headers: asAgent(payer), body })
        wanted.unshift(record(reply.body)['payment_id'])
      }
    }
    for (const query of ['?limit=3', '?limit=3&reference=r']) {
      const seen: unknown[] = []
      for (let next = ''; seen.length < wanted.length; ) {
        const { body } = await call(server, 'GET', path(`payments${query}${next}`), {
          headers: asAgent(payer),
        })
        const items = record(body)['payments'] as Record<string, unknown>[]
        const { total, next_cursor } = record(record(body)['pagination'])
        seen.push(...items.map(each => each['payment_id'] ?? each['approval_id']))
        expect([total, next_cursor === undefined]).toEqual([10, seen.length === 10])
        next = way === 'cursor' ? `&cursor=${String(next_cursor)}` : `&offset=${seen.length}`
      }
      expect(seen).toEqual(wanted)
    }
  })
})
