import type { AuditAction, AuditFailure, AuditVerification } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { formatId, parseId, type Uuid } from '../../kernel/ids.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { type EntryContent, leafHash } from '../../operations/audit-entry.ts'
import type { AuditContext } from './context.ts'
import type { Integrator } from './integrator.ts'
import { type Inclusion, proveInclusion } from './prove.ts'
import { type FoundEntry, readEntry } from './read-entry.ts'
import { findLeaf, findLeafAnywhere, isQueued, type PlacedLeaf } from './store.ts'

type ReadableEntry = Extract<FoundEntry, { kind: 'entry' }>

/** Verifies that an entry is unaltered and in the log; returns the proof to any caller. */
export async function verifyEntry(
  context: AuditContext,
  integrator: Pick<Integrator, 'catchUp'>,
  caller: Caller,
  auditId: string,
): Promise<AuditVerification> {
  const { database, vault } = context
  const id = parseId('aud', auditId)
  if (id === null) return failed('not_found')
  const found = await readEntry(database, vault, id)
  if (found.kind === 'altered') return refuse(context, auditId, 'altered')
  if (found.kind === 'none') {
    return (await isKnown(context, id)) ? refuse(context, auditId, 'altered') : failed('not_found')
  }
  const place = await findPlace(context, integrator, id)
  if (place === 'pending') return { ...failed('pending'), entry: await shownTo(context, caller, found) }
  if (place === null) return refuse(context, auditId, 'not_in_log')
  const leaf = leafOf(found)
  if (!leaf.equals(place.hash)) return refuse(context, auditId, 'altered')
  const inclusion = await proveInclusion(context, place.index, leaf)
  if (inclusion === null) return refuse(context, auditId, 'bad_checkpoint')
  return proven(await shownTo(context, caller, found), place.index, inclusion)
}

function leafOf({ content }: ReadableEntry): Buffer {
  return Buffer.from(leafHash(canonicalJson(content)), 'hex')
}

/** Whether the log has a leaf for an entry that is no longer stored. */
async function isKnown({ database }: AuditContext, id: Uuid): Promise<boolean> {
  return (await findLeaf(database, id)) !== null || isQueued(database, id)
}

/** The leaf of a stored entry. A queued entry is appended at once. */
async function findPlace(
  { database }: AuditContext,
  integrator: Pick<Integrator, 'catchUp'>,
  id: Uuid,
): Promise<PlacedLeaf | 'pending' | null> {
  const place = await findLeaf(database, id)
  if (place !== null) return place
  if (await isQueued(database, id)) await integrator.catchUp()
  // Searched again even if it was not queued: it may have been appended between the two queries.
  const then = (await findLeaf(database, id)) ?? ((await isQueued(database, id)) ? 'pending' : null)
  return then ?? findLeafAnywhere(database, id)
}

type Entry = NonNullable<AuditVerification['entry']>

async function shownTo(
  { database }: AuditContext,
  caller: Caller,
  { agentId, content }: ReadableEntry,
): Promise<Entry> {
  const hash = leafHash(canonicalJson(content))
  const isShown = await maySee(database, caller, agentId, content)
  return { ...content, data: isShown ? content.data : null, hash }
}

function proven(entry: Entry, index: number, { head, checkpoint, proof }: Inclusion): AuditVerification {
  return {
    valid: true,
    reason: 'ok',
    entry,
    leaf_index: index,
    tree_size: head.size,
    root_hash: head.root.toString('hex'),
    inclusion_proof: proof.map(node => node.toString('hex')),
    checkpoint,
  }
}

/** A failed verification shows no content, which would look verified. */
function failed(reason: AuditFailure): AuditVerification {
  return {
    valid: false,
    reason,
    entry: null,
    leaf_index: null,
    tree_size: null,
    root_hash: null,
    inclusion_proof: [],
    checkpoint: null,
  }
}

/** The database was edited, so the operator must be notified. */
function refuse({ logger }: AuditContext, auditId: string, reason: AuditFailure): AuditVerification {
  logger.error({ entry: auditId, reason }, 'audit entry failed verification')
  return failed(reason)
}

/**
 * Whether the caller may read an entry's content: callers who may read the trail of its agent, and the other side of a
 * transfer, as with a receipt; for an entry without an agent, the platform or owner that is its actor or its target.
 * Administrators may read all.
 */
async function maySee(
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
