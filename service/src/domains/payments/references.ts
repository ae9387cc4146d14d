import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { keyAt, reader, type TransferKind } from '../../ledger/index.ts'

/** What a unique reference was used for: a payment, or a request that waits for approval. */
export type Use =
  | { readonly kind: TransferKind; readonly id: Uuid }
  | { readonly kind: 'approval'; readonly id: Uuid; readonly expiresAt: Date }

interface UseRow {
  readonly position: number
  readonly kind: TransferKind | 'approval'
  readonly id: Uuid
  readonly expires_at: Date | null
}

/** A reference between a payer and a payee. */
export interface PayeeReference {
  readonly payer: Uuid
  readonly payee: Uuid
  readonly reference: string
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

/** The first payment from a payer to a payee with a reference, or the first that waits. */
export const usedReferences = reader<PayeeReference, Use>({
  name: 'references',
  key: ['payer', 'payee', 'reference'],
  async load(tx: Queryable, keys, nowMs) {
    const rows = await tx.query<UseRow>(USED_REFERENCES, [
      arrayLiteral(keys.map(({ payer }) => payer)),
      arrayLiteral(keys.map(({ payee }) => payee)),
      textArrayLiteral(keys.map(({ reference }) => reference)),
      new Date(nowMs).toISOString(),
    ])
    const used = new Map<PayeeReference, Use>()
    for (const { position, kind, id, expires_at: expiresAt } of rows) {
      const key = keyAt(keys, position)
      // A payment takes precedence over a request that waits.
      if (kind !== 'approval') used.set(key, { kind, id })
      else if (expiresAt !== null && !used.has(key)) used.set(key, { kind, id, expiresAt })
    }
    return used
  },
})
