import { routes } from '@batua/contract'
import type { Serve } from '../../http/serve.ts'
import { agentRecord, cancelPolicyChange } from '../agents/index.ts'
import { actorOf } from '../audit/index.ts'
import { showAgentPolicy } from './agent-policy.ts'
import { changeTier, listTiers } from './change-tier.ts'
import type { PolicySettingsContext } from './context.ts'
import { cancelOwnerPolicyChange, changeOwnerPolicy, showOwnerPolicy } from './owner-policy.ts'

export function servePolicySettings(serve: Serve, context: PolicySettingsContext): void {
  const { database, vault } = context

  serve(routes.getAgentPolicy, ({ caller, params, query }) =>
    showAgentPolicy(context, caller, params.agent_id, query.to),
  )

  serve(routes.cancelPendingPolicy, async ({ caller, params }) =>
    agentRecord(vault, caller, await cancelPolicyChange(context, caller, params.agent_id, params.control)),
  )

  serve(routes.getOwnerPolicy, ({ caller, query }) => showOwnerPolicy(context, caller, query.owner_id))

  serve(routes.updateOwnerPolicy, ({ caller, query, body }) =>
    changeOwnerPolicy(context, caller, query.owner_id, body),
  )

  serve(routes.cancelOwnerPendingPolicy, ({ caller, params, query }) =>
    cancelOwnerPolicyChange(context, caller, query.owner_id, params.control),
  )

  serve(routes.listTiers, async () => ({ tiers: await listTiers(database) }))

  serve(routes.updateTier, ({ caller, params, body }) =>
    changeTier(context, actorOf(caller), params.tier, body),
  )
}
