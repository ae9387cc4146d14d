import { unlessAltered, writeMacs } from '../../db/row-mac.ts'
import type { Job } from '../../jobs/jobs.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { recordActs } from '../audit/index.ts'
import { applyDueBudget, selectBudget, selectDueBudgets, updateBudget } from '../memberships/index.ts'
import { AGENT_ROWS, lockAgentsForChange } from '../policies/index.ts'
import { budgetAppliedAct } from './acts.ts'
import type { OrganizationsContext } from './context.ts'

type JobsContext = Pick<OrganizationsContext, 'database' | 'vault'>

const AT_ONCE = 100

/** Raised budgets take effect when their time has come. Two nodes that do the same do it once, under the account's lock. */
export function organizationJobs(context: JobsContext): Job[] {
  return [{ name: 'budget changes', everyMs: 1_000, run: now => applyDueBudgets(context, now) }]
}

async function applyDueBudgets(context: JobsContext, now: Date): Promise<number> {
  const due = await selectDueBudgets(context.database, now, AT_ONCE)
  let applied = 0
  for (const agentId of due) if (await unlessAltered(() => applyDue(context, agentId, now))) applied++
  return applied
}

function applyDue({ database, vault }: JobsContext, agentId: Uuid, now: Date): Promise<void> {
  return database.inTransaction(async tx => {
    await lockAgentsForChange(tx, vault, [agentId])
    const before = await selectBudget(tx, agentId)
    if (before === null) return
    const after = applyDueBudget(before, { now, isFrozen: before.isFrozen })
    if (after === before) return
    await updateBudget(tx, agentId, after)
    const versions = await writeMacs(tx, vault, AGENT_ROWS, [agentId])
    await recordActs(tx, vault, now, [budgetAppliedAct(agentId, before.orgId, before, after)], versions)
  })
}
