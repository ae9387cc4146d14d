import type { SettlementRun, SettlementSkip } from '@batua/contract'
import { dayText } from '../../../kernel/business-days.ts'
import { formatId } from '../../../kernel/ids.ts'
import { rupees } from '../../../kernel/money.ts'
import type { ListedSkip, Run } from './runs-store.ts'

export function runRecord({ day, paidCount, paidPaise, skipped, startedAt, finishedAt }: Run): SettlementRun {
  return {
    day: dayText(day),
    status: finishedAt === null ? 'running' : 'finished',
    paid_count: paidCount,
    paid_amount: rupees(paidPaise),
    skipped: {
      no_verified_bank_account: skipped.no_verified_bank_account ?? 0,
      agent_frozen: skipped.agent_frozen ?? 0,
      agent_quarantined: skipped.agent_quarantined ?? 0,
      below_minimum: skipped.below_minimum ?? 0,
    },
    started_at: startedAt.toISOString(),
    finished_at: finishedAt?.toISOString() ?? null,
  }
}

export function skipRecord({
  agentId,
  agentName,
  ownerId,
  reason,
  balancePaise,
}: ListedSkip): SettlementSkip {
  return {
    agent_id: formatId('agt', agentId),
    agent_name: agentName,
    owner_id: formatId('own', ownerId),
    reason,
    balance: rupees(balancePaise),
  }
}
