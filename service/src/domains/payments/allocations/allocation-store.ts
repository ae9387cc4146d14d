import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { reader } from '../../../ledger/index.ts'
import type { KeyedMovement } from '../idempotency.ts'

/**
 * The stored text of an organization's key, which no key of a wallet has (`keyOf`). The organization is part of it,
 * because the same agent may have been another's treasury.
 */
export function ownKey(orgId: Uuid, headerKey: string): AllocationKey {
  return { orgId, key: `allocation\n${orgId}\n${headerKey}` }
}

/** The key of an organization's allocation, as its transfer has it. */
export interface AllocationKey {
  readonly orgId: Uuid
  readonly key: string
}

/**
 * Allocations by their keys, whichever agent was the treasury then. Exact, because an allocation and the naming of
 * another treasury both lock the treasury's account. The condition is that of the index `transfers_allocations`.
 */
export const earlierAllocations = reader<AllocationKey, KeyedMovement>({
  name: 'earlier allocations',
  key: ['key'],
  async load(tx, keys) {
    const rows = await tx.query<KeyedMovement & AllocationKey>(
      `select k.org_id as "orgId", k.key, 'allocation' as kind, e.id, e.credit_account as "creditAccount",
         e.amount_paise as "amountPaise", null as "debitBalancePaise", null as reference, null as note, k.org_id as "linkedId"
       from unnest($1::uuid[], $2::text[]) k(org_id, key)
       cross join lateral (
         select t.id, t.credit_account, t.amount_paise from transfers t
         where t.linked_id = k.org_id and t.idempotency_key = k.key and coalesce(t.kind = 'allocation', false)
         limit 1) e`,
      [arrayLiteral(keys.map(({ orgId }) => orgId)), textArrayLiteral(keys.map(({ key }) => key))],
    )
    return rows.map(({ orgId, key, ...row }) => [{ orgId, key }, row])
  },
})
