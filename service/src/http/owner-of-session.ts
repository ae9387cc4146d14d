import { AppError } from '../kernel/app-error.ts'
import { formatId, parseId, type Uuid } from '../kernel/ids.ts'
import type { OwnerCaller } from './caller.ts'

/** Which owner of the session a call means: the only one, or the one that it names in `owner_id`. */
export function ownerOfSession({ ownerIds }: OwnerCaller, named: string | undefined): Uuid {
  if (named !== undefined) {
    const id = parseId('own', named)
    if (id !== null && ownerIds.includes(id)) return id
    throw new AppError('not_found', 'This session has no owner with this id', { field: 'owner_id' })
  }
  const [only, ...others] = ownerIds
  if (only === undefined)
    throw new AppError('not_found', 'This session covers no owner yet; accept one of GET /v1/invitations')
  if (others.length === 0) return only
  throw new AppError('validation_error', 'This session covers several owners: say which one with owner_id', {
    field: 'owner_id',
    details: { owner_ids: ownerIds.map(id => formatId('own', id)) },
  })
}
