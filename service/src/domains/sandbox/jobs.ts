import type { Job } from '../../operations/jobs.ts'
import { followSandboxClock } from './clock.ts'
import type { SandboxContext, SandboxMode } from './context.ts'
import { WEBHOOKS_DUE } from './providers/late-webhooks.ts'
import { PAYMENTS_DUE } from './providers/store.ts'

const TICK_MS = 1_000
const BATCH = 20

export function sandboxJobs({ database, clock }: SandboxMode): Job[] {
  return [
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

export function simulationJobs({ gateway, payouts }: SandboxContext): Job[] {
  return [
    {
      name: 'sandbox payers',
      everyMs: TICK_MS,
      due: PAYMENTS_DUE,
      run: now => gateway.simulation.resolvePayments(now, BATCH),
    },
    {
      name: 'sandbox webhooks',
      everyMs: TICK_MS,
      due: WEBHOOKS_DUE,
      run: now => gateway.simulation.sendWebhooks(now, BATCH),
    },
    {
      name: 'sandbox payout webhooks',
      everyMs: TICK_MS,
      due: WEBHOOKS_DUE,
      run: now => payouts.simulation.sendWebhooks(now, BATCH),
    },
  ]
}
