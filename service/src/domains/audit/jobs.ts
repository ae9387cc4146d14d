import type { Job } from '../../operations/jobs.ts'
import { LOG_ROUND_DUE, openLogChecker } from './check-log.ts'
import type { AuditContext } from './context.ts'
import { openIntegrator } from './integrator.ts'
import { LEAVES_WAIT } from './store.ts'

const INTEGRATING_MS = 1_000
const CHECKING_MS = 1_000

export function auditJobs(context: AuditContext): Job[] {
  const integrator = openIntegrator(context)
  const checker = openLogChecker(context)
  return [
    { name: 'audit log', everyMs: INTEGRATING_MS, due: LEAVES_WAIT, run: () => integrator.keepUp() },
    { name: 'audit log check', everyMs: CHECKING_MS, due: LOG_ROUND_DUE, run: () => checker.check() },
  ]
}
