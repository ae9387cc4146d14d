import { unlessAltered } from '../../../db/row-mac.ts'
import { duePages } from '../../../operations/due-pages.ts'
import type { Job } from '../../../operations/jobs.ts'
import { type DueSubject, selectDueSubjects } from '../../limits/index.ts'
import { applyDuePolicy } from '../agents/change-agent.ts'
import { announceTiers } from './change-tier.ts'
import type { PolicySettingsContext } from './context.ts'
import { announceOwnerPolicies, applyDueOwnerPolicy } from './owner-policy.ts'

type PolicyJobsContext = Pick<PolicySettingsContext, 'database' | 'vault'>

const SUBJECTS_AT_ONCE = 100

/** Applies due policy changes. The subject's locks ensure that two nodes apply a change once. */
export function policyJobs(context: PolicyJobsContext): Job[] {
  const nextPage = duePages<DueSubject>(SUBJECTS_AT_ONCE, (now, after, limit) =>
    selectDueSubjects(context.database, now, after, limit),
  )
  return [
    {
      name: 'policy changes',
      everyMs: 1_000,
      run: async now => applyDueChanges(context, now, await nextPage(now)),
    },
    {
      name: 'owner policy announcements',
      everyMs: 1_000,
      run: () => announceOwnerPolicies(context.database),
    },
    { name: 'tier changes', everyMs: 1_000, run: () => announceTiers(context.database) },
  ]
}

async function applyDueChanges(
  context: PolicyJobsContext,
  now: Date,
  due: readonly DueSubject[],
): Promise<number> {
  let applied = 0
  for (const { id, kind } of due) {
    const apply = kind === 'agent' ? applyDuePolicy : applyDueOwnerPolicy
    if (await unlessAltered(() => apply(context, id, now))) applied++
  }
  return applied
}
