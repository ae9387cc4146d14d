import { type OwnerAccount, routes } from '@batua/contract'
import { page, pageOf } from '../../http/paging.ts'
import type { Serve } from '../../http/serve.ts'
import { formatId } from '../../kernel/ids.ts'
import { rupees } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { actorOf } from '../../operations/facts.ts'
import {
  countOwners,
  type Owner,
  ownerRecord,
  requireOwnerAccess,
  selectOwners,
  type WithStepUp,
} from '../parties/index.ts'
import { changeAgents } from './change-agents.ts'
import { type ChangedOwner, freezeOwner, setOwnerTier, unfreezeOwner } from './change-owner.ts'
import type { AdminContext } from './context.ts'
import { readChecks } from './list-checks.ts'
import { readNegativeWallets } from './list-negative-wallets.ts'
import { readActivity } from './read-activity.ts'
import { readOverview } from './read-overview.ts'
import { countAgentsByStatus, sumBalancesOfOwner } from './store.ts'

export function serveAdmin(serve: Serve, context: AdminContext & WithStepUp): void {
  serve(routes.getOverview, () => readOverview(context))
  serve(routes.getActivity, () => readActivity(context))
  serve(routes.listChecks, () => readChecks(context))
  serve(routes.listNegativeWallets, ({ query }) => readNegativeWallets(context, query))
  serveOwnerAccounts(serve, context)
  serve(routes.bulkFreezeAgents, ({ caller, body }) =>
    changeAgents(context, actorOf(caller), body.agent_ids, 'freeze'),
  )
  serve(routes.bulkQuarantineAgents, ({ caller, body }) =>
    changeAgents(context, actorOf(caller), body.agent_ids, 'quarantine'),
  )
  serve(routes.bulkRestoreAgents, async call => {
    await context.stepUp.require(call)
    return changeAgents(context, actorOf(call.caller), call.body.agent_ids, 'restore')
  })
}

function serveOwnerAccounts(serve: Serve, context: AdminContext & WithStepUp): void {
  const { database, vault } = context
  const changedRecord = ({ owner, agentsAffected }: ChangedOwner) => ({
    ...ownerAccount(vault, owner),
    agents_affected: agentsAffected,
  })

  serve(routes.listAllOwners, async ({ query }) => {
    const request = pageOf(query)
    const filter = {
      platformId: null,
      status: query.status ?? null,
      kycStatus: query.kyc_status ?? null,
      tier: query.tier ?? null,
    }
    const [owners, total] = await Promise.all([
      selectOwners(database, filter, request),
      countOwners(database, filter),
    ])
    return page('owners', owners, owner => ownerAccount(vault, owner), total, request)
  })

  serve(routes.getOwnerAccount, async ({ caller, params }) => {
    const owner = await requireOwnerAccess(database, caller, params.owner_id)
    return {
      ...ownerAccount(vault, owner),
      agents: await countAgentsByStatus(database, owner.id),
      total_balance: rupees(await sumBalancesOfOwner(database, owner.id)),
    }
  })

  serve(routes.setOwnerTier, async call => {
    const { caller, params, body } = call
    await context.stepUp.require(call)
    return ownerAccount(vault, await setOwnerTier(context, actorOf(caller), params.owner_id, body.tier))
  })

  serve(routes.freezeOwner, async ({ caller, params }) =>
    changedRecord(await freezeOwner(context, actorOf(caller), params.owner_id)),
  )

  serve(routes.unfreezeOwner, async call => {
    await context.stepUp.require(call)
    return changedRecord(await unfreezeOwner(context, actorOf(call.caller), call.params.owner_id))
  })
}

/** An owner as administrators see it. */
function ownerAccount(vault: Vault, owner: Owner): OwnerAccount {
  return { ...ownerRecord(vault, owner), platform_id: formatId('plt', owner.platformId) }
}
