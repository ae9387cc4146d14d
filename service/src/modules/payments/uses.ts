import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Source, TransferKind } from '../../ledger/index.ts'

/** What an idempotency key or a unique reference was used for: a movement, or a request that waits for approval. */
export type Use =
  | { readonly kind: TransferKind; readonly id: Uuid }
  | { readonly kind: 'approval'; readonly id: Uuid; readonly expiresAt: Date }

interface UseRow {
  readonly kind: TransferKind | 'approval'
  readonly id: Uuid
  readonly expires_at: Date | null
}

const KEY_SEPARATOR = '\n'
const UUID_LENGTH = 36

/** The key of a fact about a payer and a text of its own. A uuid has a fixed length, so any text may follow. */
export function payerKey(payer: Uuid, text: string): string {
  return payer + KEY_SEPARATOR + text
}

export function referenceKey(payer: Uuid, payee: Uuid, reference: string): string {
  return payerKey(payer, payerKey(payee, reference))
}

function payersOf(keys: readonly string[]): Uuid[] {
  return keys.map(key => key.slice(0, UUID_LENGTH))
}

function textsOf(keys: readonly string[]): string[] {
  return keys.map(key => key.slice(UUID_LENGTH + 1))
}

// Lateral with a limit, so that no plan reads what waits for others.
const USED_KEYS = `
  select k.payer, k.key, t.id, t.kind, null::timestamptz as expires_at
  from unnest($1::uuid[], $2::text[]) k(payer, key)
  join transfers t on t.debit_account = k.payer and t.idempotency_key = k.key
  union all
  select k.payer, k.key, a.id, 'approval', a.expires_at
  from unnest($1::uuid[], $2::text[]) k(payer, key)
  cross join lateral (
    select a.id, a.expires_at from approvals a
    where a.agent_id = k.payer and a.idempotency_key = k.key and a.status = 'pending_approval'
      and a.expires_at > $3
    limit 1) a`

/** Exact, because whoever posts or asks for a payer holds its lock. */
export const usedKeys: Source<Use> = {
  name: 'idempotency keys',
  async load(tx: Queryable, keys: readonly string[], nowMs) {
    const rows = await tx.query<UseRow & { payer: Uuid; key: string }>(USED_KEYS, [
      arrayLiteral(payersOf(keys)),
      textArrayLiteral(textsOf(keys)),
      new Date(nowMs).toISOString(),
    ])
    const used = new Map<string, Use>()
    for (const row of rows) noteUse(used, payerKey(row.payer, row.key), row)
    return used
  },
}

const USED_REFERENCES = `
  select k.position::int4 as position, u.id, u.kind, u.expires_at
  from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality k(payer, payee, reference, position)
  cross join lateral (
    (select t.id, t.kind, null::timestamptz as expires_at from transfers t
     where t.debit_account = k.payer and t.reference = k.reference and t.credit_account = k.payee
       and t.kind = 'payment'
     order by t.id limit 1)
    union all
    (select a.id, 'approval', a.expires_at from approvals a
     where a.agent_id = k.payer and a.reference = k.reference and a.payee = k.payee and a.kind = 'payment'
       and a.status = 'pending_approval' and a.expires_at > $4
     order by a.id limit 1)) u`

/** The first payment from a payer to a payee with a reference, or the first that waits; the key is `referenceKey`. */
export const usedReferences: Source<Use> = {
  name: 'references',
  async load(tx: Queryable, keys: readonly string[], nowMs) {
    const rows = await tx.query<UseRow & { position: number }>(USED_REFERENCES, [
      arrayLiteral(payersOf(keys)),
      arrayLiteral(payersOf(textsOf(keys))),
      textArrayLiteral(textsOf(textsOf(keys))),
      new Date(nowMs).toISOString(),
    ])
    const used = new Map<string, Use>()
    for (const row of rows) noteUse(used, keys[row.position - 1] ?? '', row)
    return used
  },
}

/** What was done outweighs what waits. */
function noteUse(used: Map<string, Use>, key: string, { kind, id, expires_at: expiresAt }: UseRow): void {
  if (kind !== 'approval') used.set(key, { kind, id })
  else if (expiresAt !== null && !used.has(key)) used.set(key, { kind, id, expiresAt })
}

/** The use that stands in a command's way at this moment: not one that has expired, nor the approval it carries out. */
export function useInForce(
  use: Use | undefined,
  nowMs: number,
  carriedOut: Uuid | null = null,
): Use | undefined {
  if (use?.kind !== 'approval') return use
  return use.expiresAt.getTime() <= nowMs || use.id === carriedOut ? undefined : use
}
