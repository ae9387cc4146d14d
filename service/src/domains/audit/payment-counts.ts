import type { Queryable } from '../../db/database.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { isWholeTrail, type TrailScope } from './trail-scope.ts'
import { COUNT_PAYMENTS } from './trail-sql.ts'

/** Counts an agent's payments, made and received. The process caches counts, and counts only later payments. */
export interface PaymentCounts {
  count(db: Queryable, scope: TrailScope): Promise<bigint>
}

/** The number of payments with ids before one; no payment will get such an id any more. */
interface Counted {
  readonly before: Uuid
  readonly count: bigint
}

const REMEMBERED_AGENTS = 10_000

export function openPaymentCounts(): PaymentCounts {
  const known = boundedMap<Uuid, Counted>(REMEMBERED_AGENTS)
  return {
    async count(db, scope) {
      if (!isWholeTrail(scope)) return countPayments(db, scope)
      const counted = known.get(scope.agentId) ?? { before: scope.from, count: 0n }
      const before = await selectSettledBefore(db, scope.agentId)
      if (before <= counted.before)
        return counted.count + (await countPayments(db, { ...scope, from: counted.before }))
      const settled = await countPayments(db, { ...scope, from: counted.before, until: before })
      const now = { before, count: counted.count + settled }
      known.set(scope.agentId, now)
      return now.count + (await countPayments(db, { ...scope, from: before }))
    },
  }
}

/**
 * The lower bound of the ids of future payments: any node assigns ids under the lock of the account, never before the
 * account's last posting (see `LedgerBatch`).
 */
async function selectSettledBefore(db: Queryable, agentId: Uuid): Promise<Uuid> {
  const [row] = await db.query<{ ms: bigint }>(`select last_posted_ms as ms from accounts where id = $1`, [
    agentId,
  ])
  return firstUuidAt(new Date(Number(row?.ms ?? 0n)))
}

async function countPayments(db: Queryable, { agentId, from, until }: TrailScope): Promise<bigint> {
  const [row] = await db.query<{ count: bigint }>(COUNT_PAYMENTS, [agentId, from, until])
  return row?.count ?? 0n
}
