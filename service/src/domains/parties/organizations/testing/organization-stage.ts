import type { Member, Organization } from '@batua/contract'
import { testOn } from '../../../../testing/database-test.ts'
import {
  asOwners,
  type Headers,
  openPolicyStage,
  type PolicyStage,
  type Reply,
  type SignedUp,
  type StageAgent,
} from '../../../../testing/limits/policy-stage.ts'
import { serveAdmin } from '../../../admin/routes.ts'
import { serveVerification } from '../../../pay-per-call/routes.ts'
import { serveAllocations } from '../../../payments/allocations/routes.ts'
import { serveWallets } from '../../../payments/balance.ts'
import { serveTransactions } from '../../../payments/statements/routes.ts'
import { serveOrganizations } from '../routes.ts'

export const NOON = new Date('2026-11-20T06:30:00.000Z')

/** The stage of the test file that runs: `test` opens it before the first test and closes it after the last. */
export let stage: PolicyStage

export const test = testOn(
  () => openOrganizationStage(),
  opened => {
    stage = opened
  },
)

/** Two nodes that serve the routes of organizations, agents and payments. */
export function openOrganizationStage(start = NOON): Promise<PolicyStage> {
  return openPolicyStage(start, (serve, context) => {
    serveOrganizations(serve, context)
    serveAllocations(serve, context)
    serveTransactions(serve, context)
    serveVerification(serve, context)
    serveWallets(serve, context)
    serveAdmin(serve, {
      ...context,
      countPendingApprovals: async () => 0,
      countOpenAlerts: async () => 0,
      countFailedDeliveries: async () => 0,
      readReconciliation: async () => ({ differences: null, checkedAt: null }),
    })
  })
}

/** An organization, with requests of its owner. */
export interface Lab {
  readonly owner: SignedUp
  readonly session: Headers
  readonly org: Organization
  readonly path: string
  ask(method: string, path: string, body?: unknown, node?: number): Promise<Reply>
  /** A new member: an agent of the same owner, with plenty of money. */
  hire(role: Member['role'], budget?: number): Promise<StageAgent>
  join(agent: StageAgent, role: Member['role'], budget?: number): Promise<Reply>
  setBudget(agent: StageAgent, budget: number | null, node?: number): Promise<Reply>
  setRole(agent: StageAgent, role: Member['role']): Promise<Reply>
  nameTreasury(agent: StageAgent, node?: number): Promise<Reply>
  remove(agent: StageAgent, node?: number): Promise<Reply>
  allocate(agent: StageAgent, amount: number, node?: number, more?: Headers): Promise<Reply>
  /** The line of a member in the budget; undefined: it is not a member. */
  budgetOf(agent: StageAgent): Promise<Record<string, unknown> | undefined>
}

/** Creates an organization of a new owner, or of this one. */
export async function openLab(stage: PolicyStage, tier = 'tier1', of?: SignedUp): Promise<Lab> {
  const owner = of ?? (await stage.newOwner())
  const session = asOwners(owner.ownerId)
  const founded = await stage.ask('POST', '/v1/orgs', session, { name: 'Research Lab', tier })
  const org = founded.body as unknown as Organization
  const path = `/v1/orgs/${org.id}`
  const lab: Lab = {
    ...{ owner, session, org, path },
    ask(method, rest, body, node) {
      // Gives every call a moment of its own.
      stage.clock.advance(1)
      return stage.ask(method, `${path}${rest}`, session, body, node)
    },
    async hire(role, budget) {
      const agent = await stage.newAgentOf(owner)
      const { status, body } = await lab.join(agent, role, budget)
      if (status !== 201) throw new Error('The agent could not join', { cause: body })
      return agent
    },
    join(agent, role, budget) {
      const limit = budget === undefined ? {} : { budget_limit: budget }
      return lab.ask('POST', '/agents', { agent_id: agent.id, role, ...limit })
    },
    setBudget: (agent, budget, node) =>
      lab.ask('PATCH', `/agents/${agent.id}`, { budget_limit: budget }, node),
    setRole: (agent, role) => lab.ask('PATCH', `/agents/${agent.id}`, { role }),
    nameTreasury: (agent, node) => lab.ask('POST', '/treasury', { agent_id: agent.id }, node),
    remove: (agent, node) => lab.ask('DELETE', `/agents/${agent.id}`, undefined, node),
    allocate(agent, amount, node, more = {}) {
      stage.clock.advance(1)
      return stage.ask(
        'POST',
        `${path}/allocate`,
        { ...session, ...more },
        { agent_id: agent.id, amount },
        node,
      )
    },
    async budgetOf(agent) {
      const { body } = await lab.ask('GET', '/budget')
      const members = body['members'] as Record<string, unknown>[]
      return members.find(member => member['agent_id'] === agent.id)
    },
  }
  return lab
}

/** The status of a response, or the code of its error. */
export function outcomeOf({ status, body }: Reply): number | string {
  if (status < 300) return status
  return String((body['error'] as { code?: unknown }).code)
}
