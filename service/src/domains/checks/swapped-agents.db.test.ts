import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { writeMacs } from '../../db/row-mac.ts'
import { fixedCalendar } from '../../kernel/holiday-file.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { startNode, type TestNode } from '../../testing/builders.ts'
import {
  asOwners,
  type Body,
  type Headers,
  openPolicyStage,
  type PolicyStage,
  type Reply,
  type SignedUp,
  STAGE_SESSIONS,
  type StageAgent,
} from '../../testing/limits/policy-stage.ts'
import { networkContext, TEST_VAULT } from '../../testing/network.ts'
import { scriptedPayouts } from '../../testing/scripted-payouts.ts'
import { call, startTestServer, type TestServer } from '../../testing/test-server.ts'
import { servePayouts } from '../banking/payouts/routes.ts'
import { serveIdentity } from '../parties/identity/routes.ts'
import { serveOrganizations } from '../parties/organizations/routes.ts'
import { serveOwners } from '../parties/owners/routes.ts'
import { OWNER_ROWS } from '../parties/owners/store.ts'
import { createAuthenticators } from '../parties/platforms/credentials.ts'
import { serveAllocations } from '../payments/allocations/routes.ts'
import { serveApprovals } from '../payments/approvals/routes.ts'
import { executeHold } from '../payments/escrow/hold.ts'
import { serveEscrow } from '../payments/escrow/routes.ts'
import { executePayment } from '../payments/pay.ts'

let stage: PolicyStage
let late: TestServer
let node: TestNode
let victim: SignedUp
let thief: SignedUp
let wallet: StageAgent
let shop: StageAgent
let loot: StageAgent

beforeAll(async () => {
  stage = await openPolicyStage(new Date('2026-11-20T06:30:00.000Z'), (serve, context) => {
    const executors = { payment: executePayment(context.agents), escrow_hold: executeHold(context.agents) }
    serveEscrow(serve, context)
    serveOrganizations(serve, context)
    serveAllocations(serve, context)
    serveApprovals(serve, { ...context, executors })
    servePayouts(serve, {
      ...context,
      payoutProvider: scriptedPayouts(),
      holidays: fixedCalendar(),
    })
  })
  node = startNode({ database: stage.db.database, clock: stage.clock })
  late = await startLate(stage, node)
})
afterAll(async () => {
  await late.close()
  await node.ledger.close()
  await stage.close()
})

beforeEach(async () => {
  victim = await stage.newOwner()
  thief = await stage.newOwner()
  wallet = await stage.newAgentOf(victim, { require_human_approval_above: 100 })
  shop = await stage.newAgentOf(victim)
  loot = await stage.newAgentOf(thief)
  // The engine remembers the agents from here on.
  await stage.pay(wallet, shop, 1)
  await stage.pay(loot, shop, 1)
})

/** The response to a request while the wallet's row names the thief's platform and owner, who swaps it back at once. */
async function whileSwapped(work: () => Promise<Reply>): Promise<Reply> {
  const { db } = stage
  const columns = 'platform_id, owner_id'
  await db.database.query(`create table true_row as select ${columns} from agents where id = $1`, [
    wallet.uuid,
  ])
  await db.database.query(
    `update agents a set platform_id = t.platform_id, owner_id = t.owner_id from agents t where a.id = $1 and t.id = $2`,
    [wallet.uuid, loot.uuid],
  )
  const response = await work()
  await db.database.query(
    `update agents a set platform_id = t.platform_id, owner_id = t.owner_id from true_row t where a.id = $1`,
    [wallet.uuid],
  )
  await db.database.query('drop table true_row')
  return response
}

/** How the row is swapped back; a transaction of `late` begins with it. */
let swapBack: (() => Promise<unknown>) | null = null

/** A server whose requests find a row swapped until they lock it. */
async function startLate({ db: { database }, clock }: PolicyStage, node: TestNode): Promise<TestServer> {
  const context = {
    ...networkContext(database, clock),
    database: {
      ...database,
      query: (...statement) => database.query(...statement),
      async inTransaction(work, options) {
        await swapBack?.()
        return database.inTransaction(work, options)
      },
    } satisfies typeof database,
  }
  return startTestServer(
    ({ serve }) => {
      serveIdentity(serve, context)
      serveOwners(serve, context)
      serveOrganizations(serve, { ...context, ledger: node.ledger })
    },
    { database, clock, authenticators: { ...createAuthenticators(database, TEST_VAULT), ...STAGE_SESSIONS } },
  )
}

/** The response to a request while a row names another platform or owner, until it is locked. */
async function untilLocked(
  [table, id, column, other]: readonly ['agents' | 'owners', Uuid, 'platform_id' | 'owner_id', Uuid],
  path: string,
  headers: Headers,
  body: Body = {},
): Promise<Reply> {
  const { database } = stage.db
  const [own] = await database.query<{ named: Uuid }>(
    `select ${column} as named from ${table} where id = $1`,
    [id],
  )
  const set = (to: Uuid) => database.query(`update ${table} set ${column} = $2 where id = $1`, [id, to])
  await set(other)
  swapBack = () => set(own?.named ?? '')
  const response = await call(late, 'POST', path, { headers, body })
  swapBack = null
  return { status: response.status, body: response.body as Body }
}

const asLateThief = (table: 'agents' | 'owners', id: Uuid, path: string) => {
  const platformId = parseId('plt', thief.platform['x-platform-id'] ?? '') ?? ''
  return untilLocked([table, id, 'platform_id', platformId], path, thief.platform)
}

const codeOf = ({ body }: Reply) => (body['error'] as Body | undefined)?.['code']
const balances = async () =>
  stage.db.database.query('select id, balance_paise from accounts where id = any($1) order by id', [
    [wallet.uuid, shop.uuid, loot.uuid],
  ])
const own = (path: string, body: object) => stage.ask('POST', path, victim.platform, body)
const asThief = (path: string, body: object) => stage.ask('POST', path, thief.platform, body)

test('the platform that an altered row names holds no money of the agent', async () => {
  const before = await balances()
  const path = `/v1/agents/${wallet.id}/escrow/hold`
  const response = await whileSwapped(() => asThief(path, { amount: 50, to_agent_id: loot.id }))
  expect([response.status, codeOf(response)]).toEqual([403, 'authorization_error'])
  expect(await balances()).toEqual(before)
})

test.each(['release', 'refund'])(
  'the platform that an altered row names ends no escrow of the agent: %s',
  async way => {
    const held = await own(`/v1/agents/${wallet.id}/escrow/hold`, { amount: 50 })
    expect(held.status).toBe(201)
    const before = await balances()
    const path = `/v1/escrow/${String(held.body['escrow_id'])}/${way}`
    const body = way === 'release' ? { to_agent_id: loot.id } : {}
    const response = await whileSwapped(() => asThief(path, body))
    expect([response.status, codeOf(response)]).toEqual([404, 'not_found'])
    expect(await balances()).toEqual(before)
    expect((await own(path, way === 'release' ? { to_agent_id: shop.id } : {})).status).toBe(200)
  },
)

test.each(['approve', 'reject'])(
  'the owner whom an altered row names decides no approval of the agent: %s',
  async way => {
    const asked = await stage.pay(wallet, loot, 200)
    expect(asked.body).toMatchObject({ status: 'pending_approval' })
    const before = await balances()
    const path = `/v1/approvals/${String(asked.body['approval_id'])}/${way}`
    const response = await whileSwapped(() => stage.ask('POST', path, asOwners(thief.ownerId), {}))
    expect([response.status, codeOf(response)]).toEqual([404, 'not_found'])
    expect(await balances()).toEqual(before)
    expect((await stage.ask('POST', path, asOwners(victim.ownerId), {})).status).toBe(200)
  },
)

test.each(['pause', 'rotate-keys', 'withdraw'])(
  'the platform that an altered row names does nothing else with the agent: %s',
  async act => {
    const response = await whileSwapped(() => asThief(`/v1/agents/${wallet.id}/${act}`, {}))
    expect(response.status).toBeGreaterThanOrEqual(400)
    expect((await stage.pay(wallet, shop, 1)).status).toBe(200)
  },
)

test('the owner whom an altered row of an organization names allocates none of its money, and adds no agent of his own', async () => {
  const session = asOwners(victim.ownerId)
  const org = await stage.ask('POST', '/v1/orgs', session, { name: 'Lab', tier: 'tier1' })
  const path = `/v1/orgs/${String(org.body['id'])}`
  const join = (agent: StageAgent, role: string, as = session) =>
    stage.ask('POST', `${path}/agents`, as, { agent_id: agent.id, role })
  expect((await join(wallet, 'treasury')).status).toBe(201)
  expect((await join(shop, 'worker')).status).toBe(201)
  const before = await balances()
  await stage.db.database.query(
    `update organizations set owner_id = (select owner_id from agents where id = $1)
     where id = (select org_id from org_members where agent_id = $2)`,
    [loot.uuid, wallet.uuid],
  )
  const stranger = asOwners(thief.ownerId)
  expect((await join(loot, 'worker', stranger)).status).toBe(500)
  const allocate = (agent: StageAgent) =>
    stage.ask('POST', `${path}/allocate`, stranger, { agent_id: agent.id, amount: 100 })
  expect((await allocate(loot)).status).toBe(500)
  expect((await allocate(shop)).status).toBe(500)
  expect(await balances()).toEqual(before)
})

describe('the platform that an altered row names until it is locked', () => {
  const REFUSED = [403, 'authorization_error']
  let certificate: string

  const certificates = async () =>
    stage.db.database.query<{ id: Uuid; revokedAt: Date | null }>(
      `select id, revoked_at as "revokedAt" from certificates where agent_id = $1 order by id`,
      [wallet.uuid],
    )
  const asVictim = (path: string) => call(late, 'POST', path, { headers: victim.platform, body: {} })

  beforeEach(async () => {
    const [first] = await certificates()
    certificate = formatId('cert', first?.id ?? '')
  })

  test('is issued no certificate of the agent', async () => {
    const path = `/v1/agents/${wallet.id}/certificates`
    const response = await asLateThief('agents', wallet.uuid, path)
    expect([response.status, codeOf(response)]).toEqual(REFUSED)
    expect(await certificates()).toHaveLength(1)
    expect((await asVictim(path)).status).toBe(201)
  })

  test.each(['revoke', 'rotate'])('ends no certificate of the agent: %s', async way => {
    const path = `/v1/certificates/${certificate}/${way}`
    const response = await asLateThief('agents', wallet.uuid, path)
    expect([response.status, codeOf(response)]).toEqual(REFUSED)
    expect(await certificates()).toMatchObject([{ revokedAt: null }])
    expect((await asVictim(path)).status).toBeLessThan(300)
  })

  test('has nobody asked again who declined an owner', async () => {
    const { database } = stage.db
    const id = parseId('own', victim.ownerId) ?? ''
    await database.query(
      `update owners set link_status = 'declined', link_decided_at = '2026-01-01' where id = $1`,
      [id],
    )
    await writeMacs(database, TEST_VAULT, OWNER_ROWS, [id])
    const path = `/v1/owners/${victim.ownerId}/invite`
    const response = await asLateThief('owners', id, path)
    expect([response.status, codeOf(response)]).toEqual([404, 'not_found'])
    const status = () => database.query('select link_status as status from owners where id = $1', [id])
    expect(await status()).toEqual([{ status: 'declined' }])
    expect((await asVictim(path)).status).toBe(200)
    expect(await status()).toEqual([{ status: 'invited' }])
  })
})

test('an organization takes no agent that only an altered row gives to its owner, also of the same person', async () => {
  const session = asOwners(victim.ownerId, thief.ownerId)
  const founded = { name: 'Lab', tier: 'tier1', owner_id: victim.ownerId }
  const org = await stage.ask('POST', '/v1/orgs', session, founded)
  expect(org.status).toBe(201)
  const path = `/v1/orgs/${String(org.body['id'])}/agents`
  const swapped = ['agents', loot.uuid, 'owner_id', parseId('own', victim.ownerId) ?? ''] as const
  const response = await untilLocked(swapped, path, session, { agent_id: loot.id, role: 'worker' })
  expect([response.status, codeOf(response)]).toEqual([403, 'authorization_error'])
  const join = (agent: StageAgent) => stage.ask('POST', path, session, { agent_id: agent.id, role: 'worker' })
  expect((await join(loot)).status).toBe(403)
  expect((await join(shop)).status).toBe(201)
})
