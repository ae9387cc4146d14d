import type { Job } from '../../../operations/jobs.ts'
import { deleteUsedChallenges } from './challenge.ts'
import type { PasskeysContext } from './context.ts'

const AT_ONCE = 1_000

export function passkeyJobs({ database }: Pick<PasskeysContext, 'database'>): Job[] {
  return [
    {
      name: 'used challenges',
      everyMs: 60_000,
      run: now => deleteUsedChallenges(database, now, AT_ONCE),
    },
  ]
}
