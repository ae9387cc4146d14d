import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { namedPayees, type PayeeTimeline, type Receivers } from './payee-warnings.ts'

/** A list has at most 1,000 entries, but there may be many lists. */
const IDS_AT_ONCE = 2_000

/**
 * Which of the agents that these lists allow can be paid: those that are there and not deactivated. An agent that is
 * stopped for a while is one of them.
 */
export async function selectReceivers(db: Queryable, layers: readonly PayeeTimeline[]): Promise<Receivers> {
  const named = namedPayees(layers)
  const receivers = new Set<string>()
  for (let from = 0; from < named.length; from += IDS_AT_ONCE) {
    const rows = await db.query<{ id: Uuid }>(
      `select id from agents where id = any($1::uuid[]) and status <> 'deactivated'`,
      [arrayLiteral(named.slice(from, from + IDS_AT_ONCE))],
    )
    for (const { id } of rows) receivers.add(id)
  }
  return receivers
}
