import { type QueryOf, routes } from '@batua/contract'
import { page, pageOf } from '../../../http/paging.ts'
import type { Serve } from '../../../http/serve.ts'
import { parseId } from '../../../kernel/ids.ts'
import { type OrganizationCaller, requireOrganization, scopeOf } from './access.ts'
import { addMember, removeMember, updateMember } from './change-members.ts'
import type { OrganizationsContext } from './context.ts'
import { createOrganization } from './create-organization.ts'
import { nameTreasury } from './name-treasury.ts'
import { memberRecord, organizationRecord } from './organization-record.ts'
import { readBudget } from './read-budget.ts'
import { countOrganizations, selectOrganizations } from './store.ts'

export function serveOrganizations(serve: Serve, context: OrganizationsContext): void {
  const { database } = context

  serve(routes.createOrganization, async ({ caller, body }) =>
    organizationRecord(await createOrganization(context, caller, body)),
  )

  serve(routes.listOrganizations, ({ caller, query }) => listOrganizations(context, caller, query))

  serve(routes.getOrganization, async ({ caller, params }) =>
    organizationRecord(await requireOrganization(context, caller, params.org_id)),
  )

  serve(routes.addMember, async ({ caller, params, body }) =>
    memberRecord(await addMember(context, caller, params.org_id, body)),
  )

  serve(routes.updateMember, async ({ caller, params, body }) =>
    memberRecord(await updateMember(context, caller, params, body)),
  )

  serve(routes.removeMember, async ({ caller, params }) =>
    memberRecord(await removeMember(context, caller, params)),
  )

  serve(routes.nameTreasury, async ({ caller, params, body }) =>
    organizationRecord(await nameTreasury(context, caller, params.org_id, body.agent_id)),
  )

  serve(routes.getBudget, async ({ caller, params, now }) => {
    const { id } = await requireOrganization(context, caller, params.org_id)
    return readBudget(database, id, now)
  })
}

async function listOrganizations(
  { database }: OrganizationsContext,
  caller: OrganizationCaller,
  query: QueryOf<typeof routes.listOrganizations>,
) {
  const request = pageOf(query)
  const ownerId = query.owner_id === undefined ? null : parseId('own', query.owner_id)
  const filter = { scope: scopeOf(caller), ownerId }
  const [found, total] = await Promise.all([
    selectOrganizations(database, filter, request),
    countOrganizations(database, filter),
  ])
  return page('organizations', found, organizationRecord, total, request)
}
