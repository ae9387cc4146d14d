import { type Agent, routes } from '@batua/contract'
import type { Serve } from '../../../http/serve.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { parseId, type Uuid } from '../../../kernel/ids.ts'
import { actorOf } from '../../../operations/facts.ts'
import { isPayeeList } from '../../limits/index.ts'
import { requireAgentAccess } from '../agents/access.ts'
import { agentRecord } from '../agents/agent-record.ts'
import { cancelPolicyChange } from '../agents/change-agent.ts'
import { selectNamed } from '../agents/list-store.ts'
import type { WithStepUp } from '../passkeys/step-up.ts'
import { showAgentPolicy } from './agent-policy.ts'
import { changeTier, listTiers } from './change-tier.ts'
import type { PolicySettingsContext } from './context.ts'
import { cancelOwnerPolicyChange, changeOwnerPolicy, showOwnerPolicy } from './owner-policy.ts'
import { payeeWarnings } from './payee-warnings.ts'
import { listVersions, showPastPolicy } from './policy-history.ts'

export function servePolicySettings(serve: Serve, context: PolicySettingsContext & WithStepUp): void {
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

  serve(routes.listNamedPayees, async ({ caller, params }) => {
    const agent = await requireAgentAccess(database, caller, params.agent_id)
    return { payees: await selectNamed(database, namedIn(agentRecord(vault, caller, agent))) }
  })

  serve(routes.cancelPendingPolicy, async ({ caller, params: { agent_id, control } }) => {
    const agent = await cancelPolicyChange(context, caller, agent_id, control)
    const warnings = isPayeeList(control) ? await payeeWarnings(context, agent) : {}
    return { ...agentRecord(vault, caller, agent), ...warnings }
  })

  serve(routes.getOwnerPolicy, ({ caller, query }) => showOwnerPolicy(context, caller, query.owner_id))

  serve(routes.updateOwnerPolicy, async call => {
    const { caller, query, body } = call
    const { owner_id, ...change } = body
    const confirmation = await context.stepUp.confirmationOf(call)
    return changeOwnerPolicy(context, caller, namedOnce(query.owner_id, owner_id), change, confirmation)
  })

  serve(routes.cancelOwnerPendingPolicy, ({ caller, params, query }) =>
    cancelOwnerPolicyChange(context, caller, query.owner_id, params.control),
  )

  serve(routes.listTiers, () => listTiers(database))

  serve(routes.updateTier, async call => {
    await context.stepUp.require(call)
    return changeTier(context, actorOf(call.caller), call.params.tier, call.body)
  })
}

/** The ids that an agent's payee lists name, or will name. */
function namedIn({ policy, pending_policy }: Agent): Uuid[] {
  const { allowed_payees, blocked_payee_agents } = pending_policy
  const lists = [
    policy.allowed_payees,
    policy.blocked_payee_agents,
    allowed_payees?.value ?? [],
    blocked_payee_agents?.value ?? [],
  ]
  return [...new Set(lists.flat())].map(text => parseId('agt', text)).filter(id => id !== null)
}

/** The owner that a request names in the query, in the body, or equally in both. */
function namedOnce(inQuery: string | undefined, inBody: string | undefined): string | undefined {
  if (inQuery !== undefined && inBody !== undefined && inQuery !== inBody) {
    const message = 'owner_id names one owner in the query and another in the body; send it once'
    throw new AppError('validation_error', message, { field: 'owner_id' })
  }
  return inQuery ?? inBody
}
