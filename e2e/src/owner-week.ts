import { routes } from '@batua/contract'
import type { ConsoleStage } from './console-stage.ts'
import type { Agent, Owner } from './network.ts'
import type { Stage } from './stage.ts'

const QUARTER_S = 86_400 / 4
const QUARTERS = 20

/** A bank account whose bank returns each payout after five minutes (docs/sandbox.md). */
const RETURNING_ACCOUNT = '7766671735000'

const PAYEES = [
  'Data Vendor',
  'Map Service',
  'Mail Sender',
  'Image Maker',
  'Weather',
  'Archive',
  'Proofreader',
]

/** Five days of an agent that pays seven payees, and whose money the bank returns. */
export async function busyDays({ api, network }: Stage, owner: Owner): Promise<Agent> {
  await api.ok(routes.submitKyc, {
    params: { owner_id: owner.id },
    headers: owner.platform.headers,
    body: { bank_account: RETURNING_ACCOUNT, bank_ifsc: 'HDFC0001234' },
  })
  const buyer = await network.agent(owner, { name: 'Shopping Agent' })
  const payees: Agent[] = []
  for (const name of PAYEES) payees.push(await network.agent(owner, { name }))
  for (let quarter = 0; quarter < QUARTERS; quarter++) {
    // Settlement empties a wallet that is not used up.
    await network.fund(buyer, 400)
    for (const [index, to] of payees.entries()) {
      if ((quarter * 5 + index * 3) % 7 < 2) await network.pay(buyer, to, 10 + index * 7 + (quarter % 6) * 4)
    }
    await api.ok(routes.advanceClock, { body: { advance_seconds: QUARTER_S } })
  }
  await network.fund(buyer, 500)
  await api.ok(routes.withdraw, {
    params: { agent_id: buyer.id },
    headers: buyer.headers,
    body: { amount: 40 },
  })
  return buyer
}

/** Payee lists of which one waits, a revoked certificate, and an organization, whose id it returns. */
export async function ownersActs(opened: ConsoleStage): Promise<string> {
  const { stage, ownerSession: headers, buyer, seller } = opened
  const { api, network } = stage
  const params = { agent_id: buyer.id }
  const [blocked, allowed] = [await network.agent(seller.owner), await network.agent(seller.owner)]
  const lists = { blocked_payee_agents: [blocked.id], allowed_payees: [seller.id] }
  await api.ok(routes.updateAgent, { params, headers, body: lists })
  const longer = { allowed_payees: [seller.id, allowed.id] }
  await api.ok(routes.updateAgent, { params, headers, body: longer })
  const { id } = await api.ok(routes.issueCertificate, {
    params,
    headers,
    body: { capabilities: ['pay'], validity_days: 30 },
  })
  await api.ok(routes.revokeCertificate, {
    params: { cert_id: id },
    headers,
    body: { reason: 'The project ended' },
  })
  return openLab(opened)
}

async function openLab({ stage, ownerSession: headers, buyer, seller }: ConsoleStage): Promise<string> {
  const { api, network } = stage
  const { id } = await api.ok(routes.createOrganization, {
    headers,
    body: { name: 'Research Lab', tier: 'tier1' },
  })
  const params = { org_id: id }
  const third = await network.agent(seller.owner, { name: 'Assistant' })
  const members = [
    { agent_id: buyer.id, role: 'treasury' },
    { agent_id: seller.id, role: 'worker', budget_limit: 400 },
    { agent_id: third.id, role: 'admin' },
  ] as const
  for (const body of members) await api.ok(routes.addMember, { params, headers, body })
  await api.ok(routes.allocate, { params, headers, body: { agent_id: seller.id, amount: 100 } })
  await network.pay(seller, buyer, 60)
  // More than the present budget, so it waits.
  await api.ok(routes.updateMember, {
    params: { ...params, agent_id: seller.id },
    headers,
    body: { budget_limit: 900 },
  })
  return id
}
