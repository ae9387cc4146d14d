import type { ActorType, AuditAction } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { findProvenTransfer, type Transfer } from '../../ledger/index.ts'
import { type EntryContent, entryContent } from '../../operations/audit-entry.ts'
import type { FactData } from '../../operations/facts.ts'
import { appNameOf, type NamedPayment, paymentContent } from '../../operations/payment-fact.ts'

/** A stored entry, or that there is none, or that it was altered. */
export type FoundEntry =
  | { readonly kind: 'entry'; readonly agentId: Uuid | null; readonly content: EntryContent }
  | { readonly kind: 'altered' }
  | { readonly kind: 'none' }

/** Reads an entry by its id: a row of audit_entries, or a payment. It is not proven here: its leaf in the tree does that. */
export async function readEntry(db: Queryable, vault: Vault, id: Uuid): Promise<FoundEntry> {
  const [row] = await db.query<EntryRow>(`select ${ENTRY_COLUMNS} from audit_entries where id = $1`, [id])
  if (row !== undefined) return entryOf(row)
  const found = await findProvenTransfer(db, vault, id)
  if (found.kind !== 'transfer') return found
  const { transfer } = found
  if (transfer.kind !== 'payment') return { kind: 'none' }
  return { kind: 'entry', agentId: transfer.debitAccount, content: paymentContent(await named(db, transfer)) }
}

async function named(db: Queryable, transfer: Transfer): Promise<NamedPayment> {
  if (transfer.linkedId === null) return { ...transfer, appName: null }
  const [row] = await db.query<{ appName: string | null }>(
    `select ${appNameOf('t')} as "appName" from transfers t where t.id = $1`,
    [transfer.id],
  )
  return { ...transfer, appName: row?.appName ?? null }
}

/** A row of audit_entries. It may have been edited in any column. */
export interface EntryRow {
  readonly id: Uuid
  readonly agentId: Uuid | null
  readonly actorType: ActorType
  readonly actorId: string
  readonly actorName: string | null
  readonly action: AuditAction
  readonly target: string
  readonly data: string
  readonly createdAt: Date
  /** Entries are written with milliseconds; a finer time was edited. */
  readonly isFiner: boolean
}

export const ENTRY_COLUMNS = `id, agent_id as "agentId", actor_type as "actorType", actor_id as "actorId",
  actor_name as "actorName", action, target, data, created_at as "createdAt", created_at <> date_trunc('milliseconds', created_at) as "isFiner"`

export function entryOf({ actorType, actorId, actorName, isFiner, ...row }: EntryRow): FoundEntry {
  const { createdAt } = row
  const data = factsFrom(row.data)
  if (data === null || isFiner || !(createdAt instanceof Date) || Number.isNaN(createdAt.getTime())) {
    return { kind: 'altered' }
  }
  const actor = { type: actorType, id: actorId, ...(actorName !== null && { name: actorName }) }
  const entry = { ...row, data, actor }
  return { kind: 'entry', agentId: row.agentId, content: entryContent(entry) }
}

/** null unless the text is byte for byte canonical JSON, as the service writes it. */
function factsFrom(text: string): FactData | null {
  try {
    const facts: FactData = JSON.parse(text)
    return canonicalJson(facts) === text ? facts : null
  } catch {
    return null
  }
}
