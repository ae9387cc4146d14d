import { routes } from '@batua/contract'
import type { Headers } from './api.ts'
import type { ConsoleStage } from './console-stage.ts'
import type { Agent, Owner } from './network.ts'
import { enrol } from './passkeys.ts'

/** A bank account whose bank responds after two minutes (docs/sandbox.md). */
const NO_RESPONSE_ACCOUNT = '900000000005'

/** States that people meet seldom. */
export interface RareStates {
  /** An approval that the passkey of the stage's owner confirmed. */
  readonly confirmedId: string
  /** An agent of the stage's owner that an administrator has frozen. */
  readonly suspect: Agent
  /** A frozen owner with an agent, a request that waits, and an organization. */
  readonly frozen: {
    readonly session: Headers
    readonly owner: Owner
    readonly agent: Agent
    readonly approvalId: string
    readonly orgId: string
  }
  /** The session of an owner whose bank account is being verified. */
  readonly unverified: Headers
}

/**
 * A platform that invites the stage's owner, her passkeys of which one waits, what one of them confirmed, and an owner
 * whom administrators have stopped. The owner's session needs a passkey from then on.
 */
export async function openRareStates(opened: ConsoleStage): Promise<RareStates> {
  const { stage, owner, ownerSession: headers } = opened
  const { api, network } = stage
  await network.owner(await network.platform({ name: 'Known Travel' }), owner.phone)
  const confirmedId = await confirmed(opened)
  // Nothing confirms this one, so it waits.
  await enrol(api, headers)
  const suspect = await network.agent(owner, { name: 'Suspect' })
  const admin = await network.admin()
  await api.ok(routes.bulkFreezeAgents, { headers: admin, body: { agent_ids: [suspect.id] } })
  const unverified = await network.owner(await network.platform())
  await api.ok(routes.submitKyc, {
    params: { owner_id: unverified.id },
    headers: unverified.platform.headers,
    body: { bank_account: NO_RESPONSE_ACCOUNT, bank_ifsc: 'HDFC0001234' },
  })
  return {
    confirmedId,
    suspect,
    frozen: await frozenOwner(opened),
    unverified: await network.login(unverified),
  }
}

async function confirmed({ stage: { api }, ownerSession: headers, ask }: ConsoleStage): Promise<string> {
  const approvalId = await ask(130, 'A scanner for the office')
  const params = { approval_id: approvalId }
  const { authenticator } = await enrol(api, headers)
  const { challenge_id, options } = await api.ok(routes.challengeApproval, { params, headers, body: {} })
  const body = { challenge_id, response: authenticator.sign(options.challenge) }
  await api.ok(routes.approve, { params, headers, body })
  return approvalId
}

async function frozenOwner({ stage, seller }: ConsoleStage): Promise<RareStates['frozen']> {
  const { api, network } = stage
  const owner = await network.owner(await network.platform())
  await network.verify(owner)
  const agent = await network.fundedAgent(owner, { name: 'Ticket buyer', require_human_approval_above: 100 })
  const { approval_id } = await network.pay(agent, seller, 200)
  const session = await network.login(owner)
  const body = { name: 'Ticket office', tier: 'tier1', owner_id: owner.id } as const
  const { id } = await api.ok(routes.createOrganization, { headers: session, body })
  const member = { agent_id: agent.id, role: 'treasury' } as const
  await api.ok(routes.addMember, { params: { org_id: id }, headers: session, body: member })
  await api.ok(routes.freezeOwner, { params: { owner_id: owner.id }, headers: await network.admin() })
  return { session, owner, agent, approvalId: approval_id ?? '', orgId: id }
}
