import { routes } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { actorOf } from '../../../operations/facts.ts'
import { isPayeeList } from '../../limits/index.ts'
import { agentRecord } from '../agents/agent-record.ts'
import { cancelPolicyChange } from '../agents/change-agent.ts'
import { payeeWarnings } from '../agents/payee-warnings.ts'
import { showAgentPolicy } from './agent-policy.ts'
import { changeTier, listTiers } from './change-tier.ts'
import type { PolicySettingsContext } from './context.ts'
import { cancelOwnerPolicyChange, changeOwnerPolicy, showOwnerPolicy } from './owner-policy.ts'
import { listVersions, showPastPolicy } from './policy-history.ts'

export function servePolicySettings(serve: Serve, context: PolicySettingsContext): void {
  const { database, vault } = context

  serve(routes.getAgentPolicy, ({ caller, params: { agent_id }, query: { to, at } }) => {
    if (at === undefined) return showAgentPolicy(context, caller, agent_id, to)
    if (to === undefined) return showPastPolicy(context, caller, agent_id, at)
    const message = 'What was used of a limit on a payee is known for now only; send either to or at'
    throw new AppError('validation_error', message, { field: 'to' })
  })

  serve(routes.listPolicyVersions, ({ caller, params, query }) =>
    listVersions(context, caller, params.agent_id, query),
  )

  serve(routes.cancelPendingPolicy, async ({ caller, params: { agent_id, control } }) => {
    const agent = await cancelPolicyChange(context, caller, agent_id, control)
    const warnings = isPayeeList(control) ? await payeeWarnings(context, agent) : {}
    return { ...agentRecord(vault, caller, agent), ...warnings }
  })

  serve(routes.getOwnerPolicy, ({ caller, query }) => showOwnerPolicy(context, caller, query.owner_id))

  serve(routes.updateOwnerPolicy, ({ caller, query, body: { owner_id, ...change } }) =>
    changeOwnerPolicy(context, caller, namedOnce(query.owner_id, owner_id), change),
  )

  serve(routes.cancelOwnerPendingPolicy, ({ caller, params, query }) =>
    cancelOwnerPolicyChange(context, caller, query.owner_id, params.control),
  )

  serve(routes.listTiers, async () => ({ tiers: await listTiers(database) }))

  serve(routes.updateTier, ({ caller, params, body }) =>
    changeTier(context, actorOf(caller), params.tier, body),
  )
}

/** The owner that a request names in the query, in the body, or equally in both. */
function namedOnce(inQuery: string | undefined, inBody: string | undefined): string | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    const message = 'owner_id names one owner in the query and another in the body; send it once'
    throw new AppError('validation_error', message, { field: 'owner_id' })
  }
  return inQuery ?? inBody
}
