import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { serveApprovals } from './modules/approvals/index.ts'
import { fixedCalendar } from './modules/calendar/index.ts'
import { executeHold, serveEscrow } from './modules/escrow/index.ts'
import { serveOrganizations } from './modules/organizations/index.ts'
import { executePayment } from './modules/payments/index.ts'
import { servePayouts } from './modules/payouts/index.ts'
import {
  type Answer,
  asOwners,
  type Body,
  openPolicyStage,
  type PolicyStage,
  type SignedUp,
  type StageAgent,
} from './testing/limits/policy-stage.ts'
import { scriptedPayouts } from './testing/scripted-payouts.ts'

let stage: PolicyStage
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
    serveApprovals(serve, { ...context, executors })
    servePayouts(serve, {
      ...context,
      payoutProvider: scriptedPayouts(),
      holidays: fixedCalendar(),
    })
  })
})
afterAll(() => stage.close())

beforeEach(async () => {
  victim = await stage.newOwner()
  thief = await stage.newOwner()
  wallet = await stage.newAgent(victim, { require_human_approval_above: 100 })
  shop = await stage.newAgent(victim)
  loot = await stage.newAgent(thief)
  // The engine remembers the agents from here on.
  await stage.pay(wallet, shop, 1)
  await stage.pay(loot, shop, 1)
})

/** The answer to a request while the wallet's row names the thief's platform and owner, who swaps it back at once. */
async function whileSwapped(work: () => Promise<Answer>): Promise<Answer> {
  const { db } = stage
  const columns = 'platform_id, owner_id'
  await db.database.query(`create table true_row as select ${columns} from agents where id = $1`, [
    wallet.uuid,
  ])
  await db.database.query(
    `update agents a set platform_id = t.platform_id, owner_id = t.owner_id from agents t where a.id = $1 and t.id = $2`,
    [wallet.uuid, loot.uuid],
  )
  const answer = await work()
  await db.database.query(
    `update agents a set platform_id = t.platform_id, owner_id = t.owner_id from true_row t where a.id = $1`,
    [wallet.uuid],
  )
  await db.database.query('drop table true_row')
  return answer
}

const codeOf = ({ body }: Answer) => (body['error'] as Body | undefined)?.['code']
const balances = async () =>
  stage.db.database.query('select id, balance_paise from accounts where id = any($1) order by id', [
    [wallet.uuid, shop.uuid, loot.uuid],
  ])
const own = (path: string, body: object) => stage.ask('POST', path, victim.platform, body)
const asThief = (path: string, body: object) => stage.ask('POST', path, thief.platform, body)

test('the platform that an altered row names holds no money of the agent', async () => {
  const before = await balances()
  const path = `/v1/agents/${wallet.id}/escrow/hold`
  const answer = await whileSwapped(() => asThief(path, { amount: 50, to_agent_id: loot.id }))
  expect([answer.status, codeOf(answer)]).toEqual([403, 'authorization_error'])
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
    const answer = await whileSwapped(() => asThief(path, body))
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found'])
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
    const answer = await whileSwapped(() => stage.ask('POST', path, asOwners(thief.ownerId), {}))
    expect([answer.status, codeOf(answer)]).toEqual([404, 'not_found'])
    expect(await balances()).toEqual(before)
    expect((await stage.ask('POST', path, asOwners(victim.ownerId), {})).status).toBe(200)
  },
)

test.each(['pause', 'rotate-keys', 'withdraw'])(
  'the platform that an altered row names does nothing else with the agent: %s',
  async act => {
    const answer = await whileSwapped(() => asThief(`/v1/agents/${wallet.id}/${act}`, {}))
    expect(answer.status).toBeGreaterThanOrEqual(400)
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
