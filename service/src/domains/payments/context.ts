import type { PaymentContext } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { AppIdentity } from '../../http/caller.ts'
import { formatId, type Uuid } from '../../kernel/ids.ts'
import type { LedgerBatch, Transfer } from '../../ledger/index.ts'
import { actorFor, type FactData, readRecorded, record } from '../../operations/facts.ts'

/** The context that a request gives, as it is stored; null if it says nothing. */
export function givenContext(given: PaymentContext | undefined): PaymentContext | null {
  if (given === undefined || Object.keys(given).length === 0) return null
  const { purpose, url, items, client } = given
  return {
    ...(purpose !== undefined && { purpose: purpose.normalize() }),
    ...(url !== undefined && { url }),
    ...(items !== undefined && { items: items.map(item => ({ ...item, name: item.name.normalize() })) }),
    ...(client !== undefined && { client: client.normalize() }),
  }
}

/**
 * Records why an agent, or an app for it, made a payment or hold, if the request said so, as an entry of its own in the payer's trail: the entry of a payment is in
 * the trail of the payee too, who never sees the context. The entry is where the context is stored.
 */
export function recordContext(
  batch: LedgerBatch,
  { id, debitAccount }: Transfer,
  { context, app }: { readonly context: PaymentContext | null; readonly app: AppIdentity | null },
): void {
  if (context === null) return
  record(batch, {
    agentId: debitAccount,
    actor: actorFor(debitAccount, app),
    action: 'context.recorded',
    target: targetOf(id),
    data: { context: jsonOf(context) },
  })
}

/** A context as the data of audit entries, which has no absent values. */
export function jsonOf({ items, ...texts }: PaymentContext): FactData {
  return { ...texts, ...(items !== undefined && { items: items.map(item => ({ ...item })) }) }
}

/** The contexts of these payments and holds, of those that have one. */
export async function selectContexts(
  db: Queryable,
  ids: readonly Uuid[],
): Promise<ReadonlyMap<Uuid, PaymentContext>> {
  const recorded = await readRecorded<{ context: PaymentContext }>(db, 'context.recorded', ids.map(targetOf))
  return new Map(
    ids.flatMap(id => {
      const entry = recorded.get(targetOf(id))
      return entry === undefined ? [] : [[id, entry.context] as const]
    }),
  )
}

const targetOf = (id: Uuid) => formatId('txn', id)
