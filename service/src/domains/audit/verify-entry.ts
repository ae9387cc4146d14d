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

/** Whether an entry is as it was written and the log holds it, with the proof for whoever asks. */
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

/** Whether the log has an act that is not stored any more. */
async function isKnown({ database }: AuditContext, id: Uuid): Promise<boolean> {
  return (await findLeaf(database, id)) !== null || isQueued(database, id)
}

/** The place of a stored entry in the tree. One that waits is put there at once. */
async function findPlace(
  { database }: AuditContext,
  integrator: Pick<Integrator, 'catchUp'>,
  id: Uuid,
): Promise<PlacedLeaf | 'pending' | null> {
  const place = await findLeaf(database, id)
  if (place !== null) return place
  if (await isQueued(database, id)) await integrator.catchUp()
  // Also when it did not wait: it may have come into the tree between the two looks.
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

/** Nothing is shown that the log does not vouch for: it would look as if it did. */
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

/** Somebody has written to the database by hand, which the operator must hear of. */
function refuse({ logger }: AuditContext, auditId: string, reason: AuditFailure): AuditVerification {
  logger.error({ entry: auditId, reason }, 'an audit entry does not verify')
  return failed(reason)
}
