import { routes, type SessionOwner } from '@batua/contract'
import type { OwnerCaller } from '../../../http/caller.ts'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { formatId } from '../../../kernel/ids.ts'
import { acceptInvitation, declineInvitation } from '../owners/answer-invitation.ts'
import { countInvitations, type LinkedOwner, selectInvitations } from '../owners/invitation-store.ts'
import { ownerRecord } from '../owners/owner-record.ts'
import { readSession } from './authenticate.ts'
import type { SessionsContext } from './context.ts'

/** The invitations of a session's phone. Before acceptance, a session shows nothing else of an owner. */
export function serveInvitations(serve: Serve, context: SessionsContext): void {
  const { database, vault } = context

  const phoneOf = async (caller: OwnerCaller) => (await readSession(database, caller)).phoneIndex

  serve(routes.listInvitations, async ({ caller, query }) => {
    const request = pageOf(query)
    const phoneIndex = await phoneOf(caller)
    const [rows, total] = await Promise.all([
      selectInvitations(database, phoneIndex, request),
      countInvitations(database, phoneIndex),
    ])
    const render = (row: LinkedOwner) => ({ ...linkedRecord(row), created_at: row.createdAt.toISOString() })
    return page('invitations', rows, render, total, request)
  })

  for (const [route, decide] of [
    [routes.acceptInvitation, acceptInvitation],
    [routes.declineInvitation, declineInvitation],
  ] as const) {
    serve(route, async ({ caller, params, now }) => {
      const which = { ownerRef: params.owner_id, phoneIndex: await phoneOf(caller) }
      const owner = await decide(context, which, now)
      return { ...ownerRecord(vault, owner), ...linkedRecord(owner) }
    })
  }
}

export function linkedRecord({ id, platformId, platformName }: Omit<LinkedOwner, 'createdAt'>): SessionOwner {
  return {
    owner_id: formatId('own', id),
    platform_id: formatId('plt', platformId),
    platform_name: platformName,
  }
}
