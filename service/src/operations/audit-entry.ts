import { hash } from 'node:crypto'
import type { AuditEntry } from '@batua/contract'
import { timeText } from '../kernel/clock.ts'
import { formatId, newUuid, typeidSuffix, type Uuid } from '../kernel/ids.ts'
import { rupees } from '../kernel/money.ts'
import { canonicalJson } from '../kernel/signing.ts'
import type { Transfer } from '../ledger/index.ts'
import type { Act } from './act.ts'

/** A stored act. Its id contains the time. */
export interface StoredEntry extends Act {
  readonly id: Uuid
  readonly createdAt: Date
}

/** The hashed content: the entry without its hash (contract section 7). */
export type EntryContent = Omit<AuditEntry, 'hash'>

/** A leaf of the tree before it has an index. */
export interface Leaf {
  readonly id: Uuid
  /** Lower-case hex of the RFC 6962 leaf hash. */
  readonly hash: string
}

export function newEntry(act: Act, now: Date): StoredEntry {
  return { ...act, id: newUuid(now), createdAt: now }
}

export function entryContent({
  id,
  agentId,
  actor,
  action,
  target,
  data,
  createdAt,
}: StoredEntry): EntryContent {
  return {
    audit_id: formatId('aud', id),
    agent_id: agentId === null ? null : formatId('agt', agentId),
    actor: { type: actor.type, id: actor.id },
    action,
    target,
    data,
    created_at: createdAt.toISOString(),
  }
}

export function leafOf(entry: StoredEntry): Leaf {
  return { id: entry.id, hash: leafHash(canonicalJson(entryContent(entry))) }
}

/** RFC 6962, section 2.1: the hash of a leaf begins with a zero byte, so that a leaf is never taken for an inner node. */
export function leafHash(content: string): string {
  return hash('sha256', `\0${content}`, 'hex')
}

/** The audit entry of a payment, made of its transfer, which has a MAC and never changes. No row is stored for it. */
export function paymentContent(transfer: Transfer): EntryContent {
  return {
    audit_id: formatId('aud', transfer.id),
    agent_id: formatId('agt', transfer.debitAccount),
    actor: { type: 'agent', id: formatId('agt', transfer.debitAccount) },
    action: 'payment.completed',
    target: formatId('pay', transfer.id),
    data: {
      to: formatId('agt', transfer.creditAccount),
      amount: rupees(transfer.amountPaise),
      fee: rupees(transfer.feePaise),
      reference: transfer.reference,
      note: transfer.note,
    },
    created_at: transfer.postedAt.toISOString(),
  }
}

/** The leaf of `paymentContent`, written out for speed because every payment makes one. */
export function paymentLeaf(transfer: Transfer): Leaf {
  const { id, reference, note } = transfer
  const suffix = typeidSuffix(id)
  const payer = `agt_${typeidSuffix(transfer.debitAccount)}`
  const content =
    `{"action":"payment.completed","actor":{"id":"${payer}","type":"agent"},"agent_id":"${payer}",` +
    `"audit_id":"aud_${suffix}","created_at":"${timeText(transfer.postedAt)}",` +
    `"data":{"amount":${rupees(transfer.amountPaise)},"fee":${rupees(transfer.feePaise)},` +
    `"note":${textOrNull(note)},"reference":${textOrNull(reference)},` +
    `"to":"agt_${typeidSuffix(transfer.creditAccount)}"},"target":"pay_${suffix}"}`
  return { id, hash: leafHash(content) }
}

/** RFC 8785 writes strings as ECMAScript does. */
function textOrNull(text: string | null): string {
  return text === null ? 'null' : JSON.stringify(text)
}
