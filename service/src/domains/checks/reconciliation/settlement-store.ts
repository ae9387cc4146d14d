import { arrayLiteral, textArrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { SettlementSums } from './compare-record.ts'
import type { SettlementPart } from './page.ts'

/** Adds what a page of records tells of settlements; each of them at most once in the list. */
export async function addSettlementParts(
  tx: Queryable,
  runId: Uuid,
  parts: readonly SettlementPart[],
): Promise<void> {
  if (parts.length === 0) return
  await tx.query(
    `insert into reconciliation_settlements as s (run_id, gateway, id, settled_at, settled_paise, charges_paise,
       parts, parts_paise)
     select $1, gateway, id, settled_at, settled, charges, parts, parts_paise
     from unnest($2::text[], $3::text[], $4::timestamptz[], $5::int8[], $6::int8[], $7::int4[], $8::int8[])
       v(gateway, id, settled_at, settled, charges, parts, parts_paise)
     on conflict (run_id, gateway, id) do update set settled_at = coalesce(excluded.settled_at, s.settled_at),
       settled_paise = s.settled_paise + excluded.settled_paise,
       charges_paise = s.charges_paise + excluded.charges_paise,
       parts = s.parts + excluded.parts, parts_paise = s.parts_paise + excluded.parts_paise`,
    [
      runId,
      textArrayLiteral(parts.map(part => part.gateway)),
      textArrayLiteral(parts.map(part => part.id)),
      textArrayLiteral(parts.map(part => part.settledAt?.toISOString() ?? null)),
      arrayLiteral(parts.map(part => part.settledPaise)),
      arrayLiteral(parts.map(part => part.chargesPaise)),
      arrayLiteral(parts.map(part => part.parts)),
      arrayLiteral(parts.map(part => part.partsPaise)),
    ],
  )
}

/** A page of the settlements that were paid from a moment on, behind an id. */
export function selectSettlements(
  db: Queryable,
  runId: Uuid,
  from: Date,
  after: string,
  limit: number,
): Promise<SettlementSums[]> {
  return db.query<SettlementSums>(
    `select id, gateway, settled_at as "settledAt", settled_paise as "settledPaise",
       charges_paise as "chargesPaise", parts, parts_paise as "partsPaise"
     from reconciliation_settlements
     where run_id = $1 and settled_at >= $2 and id > $3 order by id limit $4`,
    [runId, from, after, limit],
  )
}

/** What was read of settlements is of use to its run only. */
export async function forgetSettlements(tx: Queryable, runId: Uuid): Promise<void> {
  await tx.query(`delete from reconciliation_settlements where run_id = $1`, [runId])
}
