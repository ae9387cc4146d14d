import type { TestDatabase } from './database.ts'
import type { PayoutStage } from './payout-stage.ts'
import { typeId } from './type-id.ts'

/** The minimum payout. */
const LEAST_PAISE = 100

/** The faults after a settlement for which all wallets were due. Returned payouts are ignored. */
export async function unsettledFaults(
  { query }: Pick<TestDatabase, 'query'>,
  { wallets, leftAlone }: Pick<PayoutStage, 'wallets' | 'leftAlone'>,
): Promise<string[]> {
  const rows = await query<{ id: string; balance: string }>(
    `select id, balance_paise::text as balance from accounts where balance_paise > 0`,
  )
  const balances = new Map(rows.map(({ id, balance }) => [typeId('agt', id), Number(balance)]))
  const faults: string[] = []
  for (const { agent, takesMoney } of wallets) {
    const balance = balances.get(agent.id) ?? 0
    if (takesMoney && balance >= LEAST_PAISE) faults.push(`${agent.id}: still has ${balance}`)
  }
  const [run] = await query<{ skipped: Record<string, number> }>(
    `select skipped from settlement_runs order by day desc limit 1`,
  )
  for (const [reason, count] of Object.entries(leftAlone)) {
    const reported = run?.skipped[reason] ?? 0
    if (reported !== count) faults.push(`${reason}: ${reported} are reported instead of ${count}`)
  }
  return faults
}
