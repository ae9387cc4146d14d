import type { Job } from '../../operations/jobs.ts'
import { openLogChecker } from './check-log.ts'
import type { AuditContext } from './context.ts'
import { openIntegrator } from './integrator.ts'

const INTEGRATING_MS = 1_000
const CHECKING_MS = 1_000

export function auditJobs(context: AuditContext): Job[] {
  const integrator = openIntegrator(context)
  const checker = openLogChecker(context)
  return [
    { name: 'audit log', everyMs: INTEGRATING_MS, run: () => integrator.keepUp() },
    { name: 'audit log check', everyMs: CHECKING_MS, run: () => checker.check() },
  ]
}
