import { foldTransfers } from '../../../ledger/index.ts'
import type { Job } from '../../../operations/jobs.ts'
import { checkNextSlice } from './check-slice.ts'
import type { IntegrityContext } from './context.ts'
import { BOOK_SUMS } from './sums-store.ts'

const FOLDING_MS = 10_000
const CHECKING_MS = 300

export function integrityJobs(context: IntegrityContext): Job[] {
  return [
    {
      name: 'book sums',
      everyMs: FOLDING_MS,
      run: now => foldTransfers(context.database, BOOK_SUMS, now),
    },
    { name: 'book check', everyMs: CHECKING_MS, run: now => checkNextSlice(context, now) },
  ]
}
