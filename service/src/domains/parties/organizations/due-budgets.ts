import { unlessAltered, writeMacs } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { duePages } from '../../../operations/due-pages.ts'
import type { Job } from '../../../operations/jobs.ts'
import { recordFacts } from '../../../operations/record.ts'
import { AGENT_ROWS, lockAgentsForChange } from '../../limits/index.ts'
import { budgetAppliedAct } from './acts.ts'
import { applyDueBudget } from './budget.ts'
import type { OrganizationsContext } from './context.ts'
import { selectBudget, selectDueBudgets, updateBudget } from './member-store.ts'

type JobsContext = Pick<OrganizationsContext, 'database' | 'vault'>

const AT_ONCE = 100

/** Applies due raises of budgets. The account's lock ensures that two nodes apply a raise once. */
export function organizationJobs(context: JobsContext): Job[] {
  const nextPage = duePages(AT_ONCE, (now, after, limit) =>
    selectDueBudgets(context.database, now, after, limit),
  )
  async function applyDueBudgets(now: Date): Promise<number> {
    let applied = 0
    for (const { id } of await nextPage(now)) {
      if (await unlessAltered(() => applyDue(context, id, now))) applied++
    }
    return applied
  }
  return [{ name: 'budget changes', everyMs: 1_000, run: applyDueBudgets }]
}

/** Returns whether a raise was due. */
function applyDue({ database, vault }: JobsContext, agentId: Uuid, now: Date): Promise<boolean> {
  return database.inTransaction(async tx => {
    await lockAgentsForChange(tx, vault, [agentId])
    const before = await selectBudget(tx, agentId)
    if (before === null) return false
    const after = applyDueBudget(before, { now, isFrozen: before.isFrozen })
    if (after === before) return false
    await updateBudget(tx, agentId, after)
    const versions = await writeMacs(tx, vault, AGENT_ROWS, [agentId])
    await recordFacts(tx, vault, now, [budgetAppliedAct(agentId, before.orgId, before, after)], versions)
    return true
  })
}
