import type { Job } from '../../jobs/jobs.ts'
import { followSandboxClock } from './clock.ts'
import type { SandboxContext } from './context.ts'

const TICK_MS = 1_000
const BATCH = 20

export function sandboxJobs({ database, clock, gateway }: SandboxContext): Job[] {
  return [
    {
      name: 'sandbox upi apps',
      everyMs: TICK_MS,
      run: now => gateway.rehearsal.answerCollects(now, BATCH),
    },
    {
      name: 'sandbox clock',
      everyMs: TICK_MS,
      async run() {
        await followSandboxClock(database, clock)
        return 0
      },
    },
  ]
}
