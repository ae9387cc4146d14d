import type { listAuditEntries, QueryOf, ResponseOf } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { Caller } from '../../http/caller.ts'
import { spanOf } from '../../http/date-span.ts'
import { page, pageOf } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { canonicalJson } from '../../kernel/signing.ts'
import { leafHash } from '../../operations/audit-entry.ts'
import { trailScope } from './trail-scope.ts'
import { countTrail, type PaymentCounts, selectTrail } from './trail-store.ts'

export type AuditTrail = ResponseOf<typeof listAuditEntries>

/** The context of reading trails. */
export interface TrailContext {
  readonly database: Queryable
  /** Finds an agent if the caller may read it. Passed in, because the parties domain imports this one. */
  readonly requireAccess: (db: Queryable, caller: Caller, address: string) => Promise<{ readonly id: Uuid }>
}

/** The context with this process's cached counts. */
export interface TrailReader extends TrailContext {
  readonly paymentCounts: PaymentCounts
}

/**
 * A page of an agent's trail, newest first. A payment is in the trails of both sides; it is one entry, in the payer's
 * name, and the payee may read all of it.
 */
export async function readTrail(
  { database, requireAccess, paymentCounts }: TrailReader,
  caller: Caller,
  address: string,
  query: QueryOf<typeof listAuditEntries>,
): Promise<AuditTrail> {
  const request = pageOf(query)
  const { id } = await requireAccess(database, caller, address)
  const scope = trailScope(id, query.action ?? null, spanOf(query.from_date, query.to_date))
  const [rows, total] = await Promise.all([
    selectTrail(database, scope, request),
    countTrail(database, scope, paymentCounts),
  ])
  const withHash = ({ content }: (typeof rows)[number]) => ({
    ...content,
    hash: leafHash(canonicalJson(content)),
  })
  return page('entries', rows, withHash, total, request)
}
