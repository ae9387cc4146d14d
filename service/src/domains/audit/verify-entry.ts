import type { AuditFailure, AuditVerification } from '@batua/contract'
import type { Caller } from '../../http/caller.ts'
import { parseId, type Uuid } from '../../kernel/ids.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { leafHash } from '../../operations/audit-entry.ts'
import type { AuditContext } from './context.ts'
import { findLeaf, findLeafAnywhere, type PlacedLeaf } from './find-leaf.ts'
import type { Integrator } from './integrator.ts'
import { maySee } from './may-see.ts'
import { type Inclusion, proveInclusion } from './prove.ts'
import { isQueued } from './queue-store.ts'
import { type FoundEntry, readEntry } from './read-entry.ts'

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
