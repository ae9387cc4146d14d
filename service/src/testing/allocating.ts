import type { Database } from '../db/database.ts'
import { writeMacs } from '../db/row-mac.ts'
import { AGENT_ROWS } from '../domains/limits/covered-tables.ts'
import { type Allocation, allocateCommand } from '../domains/payments/allocations/allocate.ts'
import { ownKey } from '../domains/payments/allocations/allocation-store.ts'
import type { Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import type { TestNode } from './builders.ts'
import { TEST_VAULT } from './database.ts'

/** Makes agents the members of an organization that has its treasury's id; they leave any other. */
export async function organize(database: Database, treasury: Uuid, agents: readonly Uuid[]): Promise<void> {
  await database.inTransaction(async tx => {
    await tx.query(`delete from org_members where agent_id = any($1::uuid[])`, [[treasury, ...agents]])
    await tx.query(
      `insert into org_members (agent_id, org_id, role, joined_at)
       select distinct id, $2::uuid, case when id = $2 then 'treasury' else 'worker' end, now()
       from unnest($1::uuid[]) id`,
      [[treasury, ...agents], treasury],
    )
    await writeMacs(tx, TEST_VAULT, AGENT_ROWS, [...new Set([treasury, ...agents])])
  })
}

/** Allocates from a treasury that was set up by `organize`. */
export function allocateOn(
  { ledger, agents }: TestNode,
  treasuryId: Uuid,
  agentId: Uuid,
  amount: bigint,
  key: string | null = null,
): Promise<Allocation> {
  const order = { orgId: treasuryId, treasuryId, agentId, amountPaise: paise(amount) }
  const actor = { type: 'owner', id: 'own' } as const
  return ledger.submit(
    allocateCommand(agents, { ...order, key: key === null ? null : ownKey(treasuryId, key), actor }),
  )
}
