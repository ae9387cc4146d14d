import { figure } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import type { WebhooksReport } from './webhooks.ts'
import { PAY_CONNECTIONS } from './webhooks-pay.ts'
import { memoryGrowth, shareWithWebhooks, slownessBesideHanging } from './webhooks-report.ts'

const WEBHOOKS_LEAST = 0.85
const HANGING_MOST = 1.1
const DELIVERIES_LEAST = 1_000
/** Memory that ends within this of where it began is called flat. */
const FLAT_MOST = 1.05

export function judgeWebhooks(report: WebhooksReport | null): Goal[] {
  const steady = report?.steady ?? null
  const hanging = slownessBesideHanging(report?.hang ?? [])
  const deliveries = steady === null ? Number.NaN : steady.delivered / steady.seconds
  const growth = steady === null ? Number.NaN : memoryGrowth(steady)
  return [
    ...PAY_CONNECTIONS.map(connections => {
      const share = shareWithWebhooks(report?.pay ?? [], connections)
      return {
        name: `payments with webhooks on both sides ÷ without, ${connections} connections`,
        measured: figure(share, 2),
        wanted: `at least ${WEBHOOKS_LEAST}`,
        verdict: verdict(share, share >= WEBHOOKS_LEAST),
      }
    }),
    {
      name: 'p99 of webhooks beside a receiver that hangs ÷ beside one that answers',
      measured: figure(hanging, 2),
      wanted: `at most ${HANGING_MOST}`,
      verdict: verdict(hanging, hanging <= HANGING_MOST),
    },
    {
      name: 'webhooks a second, sustained',
      measured: figure(deliveries),
      wanted: `at least ${figure(DELIVERIES_LEAST)}`,
      verdict: verdict(deliveries, deliveries >= DELIVERIES_LEAST),
    },
    {
      name: 'memory meanwhile, last third ÷ first third',
      measured: figure(growth, 2),
      wanted: `flat, at most ${FLAT_MOST}`,
      verdict: verdict(growth, growth <= FLAT_MOST),
    },
  ]
}
