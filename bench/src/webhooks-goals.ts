import { figure } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import type { WebhooksReport } from './webhooks.ts'
import { PAY_CONNECTIONS } from './webhooks-pay.ts'
import { costOfWebhook, lastAfterSeconds } from './webhooks-rates.ts'
import {
  deliveredUnderLoad,
  memoryGrowth,
  shareWithWebhooks,
  slowdownWhileHanging,
} from './webhooks-report.ts'

const WEBHOOKS_LEAST = 0.8
const UNDER_LOAD_LEAST = 1_000
const LAST_AFTER_MOST = 1
const SERVICE_MOST_US = 70
const POSTGRES_MOST_US = 20
const HANGING_MOST = 1.1
const DELIVERIES_LEAST = 1_000
/** Memory that grows by no more than this counts as flat. */
const FLAT_MOST = 1.05

export function goalsOfWebhooks(report: WebhooksReport | null): Goal[] {
  const steady = report?.steady ?? null
  const hanging = slowdownWhileHanging(report?.hang ?? [])
  const deliveries = steady === null ? Number.NaN : steady.delivered / steady.seconds
  const growth = steady === null ? Number.NaN : memoryGrowth(steady)
  const underLoad = deliveredUnderLoad(report?.pay ?? [])
  const lastAfter = lastAfterSeconds(report?.rates ?? [])
  const [serviceUs, postgresUs] = (['service', 'postgres'] as const).map(of =>
    costOfWebhook(report?.rates ?? [], of),
  ) as [number, number]
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
      name: 'p99 of webhooks while another receiver hangs ÷ while it responds',
      measured: figure(hanging, 2),
      wanted: `at most ${HANGING_MOST}`,
      verdict: verdict(hanging, hanging <= HANGING_MOST),
    },
    {
      name: 'sustained webhooks a second',
      measured: figure(deliveries),
      wanted: `at least ${figure(DELIVERIES_LEAST)}`,
      verdict: verdict(deliveries, deliveries >= DELIVERIES_LEAST),
    },
    {
      name: 'memory during that load, last third ÷ first third',
      measured: figure(growth, 2),
      wanted: `flat, at most ${FLAT_MOST}`,
      verdict: verdict(growth, growth <= FLAT_MOST),
    },
    {
      name: 'webhooks a second while payments are at their limit',
      measured: figure(underLoad),
      wanted: `at least ${figure(UNDER_LOAD_LEAST)}`,
      verdict: verdict(underLoad, underLoad >= UNDER_LOAD_LEAST),
    },
    {
      name: '2,000 payments a second that notify both sides: the last webhook after the last payment',
      measured: `${figure(lastAfter, 2)} s`,
      wanted: `within ${LAST_AFTER_MOST} s`,
      verdict: verdict(lastAfter, lastAfter <= LAST_AFTER_MOST),
    },
    {
      name: 'CPU of a webhook, service + PostgreSQL',
      measured: `${figure(serviceUs)} + ${figure(postgresUs)} µs`,
      wanted: `at most ${SERVICE_MOST_US} + ${POSTGRES_MOST_US} µs`,
      verdict: verdict(
        serviceUs + postgresUs,
        serviceUs <= SERVICE_MOST_US && postgresUs <= POSTGRES_MOST_US,
      ),
    },
  ]
}
