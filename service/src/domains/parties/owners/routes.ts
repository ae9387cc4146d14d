import { routes } from '@batua/contract'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { actorOf } from '../../../operations/facts.ts'
import type { WithStepUp } from '../passkeys/step-up.ts'
import { requireOwnerAccess } from './access.ts'
import { cancelAccountChange } from './change-account.ts'
import type { OwnersContext } from './context.ts'
import { createOwner } from './create-owner.ts'
import { inviteAgain } from './invite-again.ts'
import { countOwners, selectOwners } from './list-store.ts'
import { ownerRecord } from './owner-record.ts'
import { submitKyc } from './submit-kyc.ts'

export function serveOwners(serve: Serve, context: OwnersContext & WithStepUp): void {
  const { database, vault } = context

  serve(routes.createOwner, async ({ caller, body }) =>
    ownerRecord(vault, await createOwner(context, caller.platformId, body)),
  )

  serve(routes.listOwners, async ({ caller, query }) => {
    const request = pageOf(query)
    const filter = {
      ...{ platformId: caller.platformId, status: null, kycStatus: null, tier: null },
      search: query.search?.normalize(),
    }
    const [owners, total] = await Promise.all([
      selectOwners(database, filter, request),
      countOwners(database, filter),
    ])
    return page('owners', owners, owner => ownerRecord(vault, owner), total, request)
  })

  serve(routes.getOwner, async ({ caller, params }) =>
    ownerRecord(vault, await requireOwnerAccess(database, caller, params.owner_id)),
  )

  serve(routes.inviteOwner, async ({ caller, params, now }) => {
    const owner = await requireOwnerAccess(database, caller, params.owner_id)
    return ownerRecord(vault, await inviteAgain(context, owner, now))
  })

  serve(routes.submitKyc, async call => {
    const { caller, params, body } = call
    await context.stepUp.require(call)
    const asked = await requireOwnerAccess(database, caller, params.owner_id)
    const owner = await submitKyc(context, actorOf(caller, asked.id), asked, body)
    return {
      ...ownerRecord(vault, owner),
      name_at_bank: owner.pendingNameAtBank ?? owner.nameAtBank,
      name_match_score: owner.pendingNameMatchScore ?? owner.nameMatchScore,
    }
  })

  serve(routes.cancelBankAccountChange, async ({ caller, params }) => {
    const asked = await requireOwnerAccess(database, caller, params.owner_id)
    return ownerRecord(vault, await cancelAccountChange(context, actorOf(caller, asked.id), asked))
  })
}
