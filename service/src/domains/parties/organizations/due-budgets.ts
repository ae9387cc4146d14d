import { writeMacs } from '../../../db/row-mac.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import { recordFacts } from '../../../operations/facts.ts'
import { AGENT_ROWS, LIMIT_INCREASES, lockAgentsForChange, recordPolicyVersions } from '../../limits/index.ts'
import { applyDueBudget } from './budget.ts'
import type { OrganizationsContext } from './context.ts'
import { budgetAppliedFact } from './facts.ts'
import { dueBudgets, selectBudget, updateBudget } from './member-store.ts'

type JobsContext = DueContext & Pick<OrganizationsContext, 'database'>

/** Applies due raises of budgets. The account's lock ensures that two nodes apply a raise once. */
export const budgetChanges = dueWork<JobsContext, { readonly id: Uuid }>({
  name: 'budget changes',
  rows: dueBudgets,
  work: (context, { id }, now) => applyDue(context, id, now),
  concurrency: 1,
  failure: 'budget change failed; it will be retried',
  ids: ({ id }) => ({ agent_id: formatId('agt', id) }),
})

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
    await recordFacts(tx, vault, now, [budgetAppliedFact(agentId, before.orgId, before, after)], versions)
    await recordPolicyVersions(tx, [agentId], { vault, now, actor: LIMIT_INCREASES })
    return true
  })
}
