import { formatId } from '../../../kernel/ids.ts'
import { type DueContext, dueWork } from '../../../operations/due-work.ts'
import type { Job } from '../../../operations/jobs.ts'
import { dueSubjects, type PolicySubject } from '../../limits/index.ts'
import { applyDuePolicy } from '../agents/change-agent.ts'
import { announceTiers } from './change-tier.ts'
import type { Announcer } from './context.ts'
import { announceOwnerPolicies, applyDueOwnerPolicy } from './owner-policy.ts'
import { OWNERS_UNANNOUNCED } from './owner-policy-store.ts'
import { historyJob } from './policy-history.ts'
import { TIERS_UNANNOUNCED } from './tier-store.ts'

type PolicyJobsContext = DueContext & Announcer

/** Applies due policy changes. The subject's locks ensure that two nodes apply a change once. */
const policyChanges = dueWork<PolicyJobsContext, PolicySubject>({
  name: 'policy changes',
  rows: dueSubjects,
  work: (context, { kind, id }, now) =>
    kind === 'agent' ? applyDuePolicy(context, id, now) : applyDueOwnerPolicy(context, id, now),
  concurrency: 1,
  failure: 'policy change failed; it will be retried',
  ids: ({ kind, id }) =>
    kind === 'agent' ? { agent_id: formatId('agt', id) } : { owner_id: formatId('own', id) },
})

export function policyJobs(context: PolicyJobsContext): Job[] {
  return [
    policyChanges(context),
    historyJob(context),
    {
      name: 'owner policy announcements',
      everyMs: 1_000,
      due: OWNERS_UNANNOUNCED,
      run: () => announceOwnerPolicies(context),
    },
    { name: 'tier changes', everyMs: 1_000, due: TIERS_UNANNOUNCED, run: () => announceTiers(context) },
  ]
}
