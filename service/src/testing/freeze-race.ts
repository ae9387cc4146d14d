import type { Database } from '../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import { changeAgent, newAgent, newFundedAgent, order, outcomesOf, type TestNode } from './builders.ts'

/** Who pays while it is frozen: a payment at a time before, during and after, on every node. */
export interface FreezeRace {
  /** Where the wallet stood when the freeze was committed, and where it stands in the end. */
  readonly sequenceAtFreeze: bigint
  readonly sequenceAfter: bigint
  readonly paidInTime: number
  /** Payments sent after the freeze was committed, and why they were refused. */
  readonly late: readonly string[]
  readonly sentLate: number
}

/** Freezes an agent in the middle of its payments. */
export async function raceFreeze(
  nodes: readonly TestNode[],
  database: Database,
  clock: Clock,
  payments: number,
): Promise<FreezeRace> {
  const [first] = nodes
  if (first === undefined) throw new Error('a race needs a node')
  const payer = await newFundedAgent(first.ledger, database, clock, 1_000_000n)
  const payee = await newAgent(database, clock.now())
  const payAll = () =>
    Array.from({ length: payments }, async (_, at) =>
      (nodes[at % nodes.length] ?? first).pay(order(payer, payee, 100n)),
    )

  const early = payAll()
  const frozen = changeAgent(database, payer, { status: 'frozen' })
  const inTime = outcomesOf([...early, ...payAll()])
  const sequenceAtFreeze = await frozen
  const late = payAll()
  const { done, refused } = await outcomesOf(late)
  const rows = await database.query<{ sequence: bigint }>('select sequence from accounts where id = $1', [
    payer,
  ])
  return {
    sequenceAtFreeze,
    sequenceAfter: rows[0]?.sequence ?? -1n,
    paidInTime: (await inTime).done.length,
    late: [...done.map(() => 'paid'), ...refused.map(({ message }) => message)],
    sentLate: late.length,
  }
}
