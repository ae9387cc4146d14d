import type { AuditAction } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import type { EntryContent } from '../../operations/audit-entry.ts'

/**
 * Whether the caller may read an entry's content: callers who may read the trail of its agent, and the other side of a
 * transfer, as with a receipt; for an entry without an agent, the platform or owner that is its actor or its target.
 * Administrators may read all.
 */
export async function maySee(
  db: Queryable,
  caller: Caller,
  agentId: Uuid | null,
  { actor, action, target, data }: EntryContent,
): Promise<boolean> {
  if (caller.kind === 'admin') return true
  if (caller.kind === 'public') return false
  if (agentId === null) return namesOf(caller).some(name => name === actor.id || name === target)
  const other = otherSideOf(action, data)
  const sides = other === null ? [agentId] : [agentId, other]
  if (caller.kind === 'agent') return sides.includes(caller.agentId)
  const sponsors = await selectSponsors(db, sides)
  return sponsors.some(({ platformId, ownerId }) =>
    caller.kind === 'platform' ? caller.platformId === platformId : caller.ownerIds.includes(ownerId),
  )
}

/** Actions that moved money to, or held it for, the agent that their data names. */
const WITH_TWO_SIDES: readonly string[] = [
  'payment.completed',
  'payment.refunded',
  'escrow.held',
  'escrow.released',
  'org.allocated',
] satisfies AuditAction[]

function otherSideOf(action: string, data: EntryContent['data']): Uuid | null {
  if (!WITH_TWO_SIDES.includes(action)) return null
  return parseId('agt', String(data?.['to'] ?? data?.['to_agent_id']))
}

function namesOf(caller: Exclude<Caller, { kind: 'admin' | 'public' }>): string[] {
  switch (caller.kind) {
    case 'platform':
      return [formatId('plt', caller.platformId)]
    case 'owner':
      return caller.ownerIds.map(id => formatId('own', id))
    case 'agent':
      return [formatId('agt', caller.agentId)]
  }
}

/** Reads `agents` itself, because the parties domain imports this one. */
async function selectSponsors(
  db: Queryable,
  agentIds: readonly Uuid[],
): Promise<{ platformId: Uuid; ownerId: Uuid }[]> {
  return db.query<{ platformId: Uuid; ownerId: Uuid }>(
    `select platform_id as "platformId", owner_id as "ownerId" from agents where id = any($1::uuid[])`,
    [agentIds],
  )
}
