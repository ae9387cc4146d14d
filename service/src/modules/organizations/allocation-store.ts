import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Source } from '../../ledger/index.ts'

/** What an allocation came to that is known by its key. */
export interface EarlierAllocation {
  readonly id: Uuid
  readonly agentId: Uuid
  readonly amountPaise: Paise
}

/**
 * The header's key serves as the allocation's own, in a line that no key of an agent's own can have: see payments. The
 * organization is part of it, because the same agent may have been another's treasury. Both have a fixed length.
 */
export function ownKey(orgId: Uuid, headerKey: string): string {
  return `${PREFIX}${orgId}\n${headerKey}`
}

const PREFIX = 'allocation\n'
const UUID_LENGTH = 36

function orgOf(key: string): Uuid {
  return key.slice(PREFIX.length, PREFIX.length + UUID_LENGTH)
}

/**
 * Allocations by their keys, whoever was the treasury then. Exact, because an allocation and the naming of another
 * treasury both hold the treasury's account. The condition is that of the index `transfers_allocations`.
 */
export const earlierAllocations: Source<EarlierAllocation> = {
  name: 'earlier allocations',
  async load(tx, keys) {
    const rows = await tx.query<EarlierAllocation & { key: string }>(
      `select k.key, e.id, e.credit_account as "agentId", e.amount_paise as "amountPaise"
       from unnest($1::uuid[], $2::text[]) k(org_id, key)
       cross join lateral (
         select t.id, t.credit_account, t.amount_paise from transfers t
         where t.linked_id = k.org_id and t.idempotency_key = k.key and coalesce(t.kind = 'allocation', false)
         limit 1) e`,
      [arrayLiteral(keys.map(orgOf)), textArrayLiteral(keys)],
    )
    return new Map(rows.map(({ key, ...row }) => [key, row]))
  },
}
