import { routes } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import type { AgentPolicyCache } from '../../limits/index.ts'
import { type OrganizationsContext, requireOrganization, selectMembers } from '../../parties/index.ts'
import { readStatementOf } from '../statements/read-statement.ts'
import { allocate } from './allocate.ts'

/** The dependencies of allocations. */
export interface AllocationsContext extends OrganizationsContext {
  readonly agents: AgentPolicyCache
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
