import type { Queryable } from '../../db/database.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import { firstUuidAt, type Uuid } from '../../kernel/ids.ts'
import { isWholeTrail, type TrailScope } from './trail-scope.ts'
import { COUNT_PAYMENTS } from './trail-sql.ts'

/** How many payments an agent has made and received. One process remembers what it has counted, and counts only what came since. */
export interface PaymentCounts {
  count(db: Queryable, scope: TrailScope): Promise<bigint>
}

/** Payments with ids before one: no more of those will ever come. */
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
 * Where the ids of all payments to come begin: they get them under the lock of the account, on whichever node, and never
 * before the last posting to it (see `Book`).
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
