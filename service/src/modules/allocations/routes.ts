import { routes } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { selectMembers } from '../memberships/index.ts'
import { type OrganizationsContext, requireOrganization } from '../organizations/index.ts'
import type { AgentRegister } from '../policies/index.ts'
import { readStatementOf } from '../transactions/index.ts'
import { allocate } from './allocate.ts'

/** What allocations work with. */
export interface AllocationsContext extends OrganizationsContext {
  readonly agents: AgentRegister
}

export function serveAllocations(serve: Serve, context: AllocationsContext): void {
  serve(routes.allocate, ({ caller, params, body, idempotencyKey }) =>
    allocate(context, caller, params.org_id, body, idempotencyKey),
  )

  serve(routes.listOrganizationTransactions, async ({ caller, params, query }) => {
    const { id } = await requireOrganization(context, caller, params.org_id)
    const members = await selectMembers(context.database, id)
    const agentIds = members.map(({ agentId }) => agentId)
    return readStatementOf(context, agentIds, query)
  })
}
