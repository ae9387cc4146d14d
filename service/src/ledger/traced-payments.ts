import { arrayLiteral } from '../db/array-literal.ts'
import type { Queryable } from '../db/database.ts'
import { firstUuidAt, movementOf, type Uuid } from '../kernel/ids.ts'
import type { Span } from '../kernel/tracing.ts'
import type { LedgerBatch, Writer } from './ledger-batch.ts'

/** A payment whose request is sampled, and the span of that request. */
interface TracedPayment {
  readonly id: Uuid
  readonly traceparent: string
}

const writer: Writer<TracedPayment> = {
  name: 'traced payments',
  write: (tx, payments) =>
    tx.query(
      `insert into traced_payments (id, traceparent) select * from unnest($1::uuid[], $2::text[])
       on conflict do nothing`,
      [arrayLiteral(payments.map(({ id }) => id)), payments.map(({ traceparent }) => traceparent)],
    ),
}

/** Stores which request made the payments of a batch from this position on, for the spans of their deliveries. */
export function traceTransfers(batch: LedgerBatch, from: number, request: Span): void {
  for (const { id, kind } of batch.transfers.slice(from))
    if (kind === 'payment') batch.write(writer, { id, traceparent: request.traceparent })
}

/** The spans of the requests that caused these events of payments, as `traceparent`, by the payment's id. */
export async function selectCauses(
  db: Queryable,
  events: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, string>> {
  const payments = arrayLiteral([...new Set(events.map(id => movementOf(id).movement))])
  const rows = await db.query<TracedPayment>(
    `select id, traceparent from traced_payments where id = any($1::uuid[])`,
    [payments],
  )
  return new Map(rows.map(({ id, traceparent }) => [id, traceparent]))
}

const DELETED_AT_ONCE = 1_000

/** Deletes some of the rows from before this moment; returns their number. */
export async function deleteTraces(db: Queryable, before: Date): Promise<number> {
  const rows = await db.query(
    `delete from traced_payments where id in (select id from traced_payments where id < $1 order by id limit $2)
     returning 1 as gone`,
    [firstUuidAt(before), DELETED_AT_ONCE],
  )
  return rows.length
}
