import type { Database } from '../../db/database.ts'
import type { Job } from '../../jobs/jobs.ts'
import { applyDuePolicy } from '../agents/index.ts'
import { selectDueSubjects } from '../policies/index.ts'
import { announceTiers } from './change-tier.ts'
import { applyDueOwnerPolicy } from './owner-policy.ts'

const SUBJECTS_AT_ONCE = 100

/** Changes take effect when their time has come. Two nodes that do the same do it once, under the subject's locks. */
export function policyJobs(database: Database): Job[] {
  return [
    { name: 'policy changes', everyMs: 1_000, run: now => applyDueChanges(database, now) },
    { name: 'tier changes', everyMs: 1_000, run: () => announceTiers(database) },
  ]
}

async function applyDueChanges(database: Database, now: Date): Promise<number> {
  const due = await selectDueSubjects(database, now, SUBJECTS_AT_ONCE)
  for (const { id, kind } of due) {
    if (kind === 'agent') await applyDuePolicy(database, id, now)
    else await applyDueOwnerPolicy(database, id, now)
  }
  return due.length
}
