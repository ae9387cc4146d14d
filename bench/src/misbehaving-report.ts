import { figure } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'
import {
  FLOODS,
  MISBEHAVING_SETTINGS,
  type MisbehavingReport,
  READERS,
  REQUESTS_AT_ONCE,
  type Waited,
} from './misbehaving.ts'

const MOST_P99_MS = 250

/** With four platforms, every request of the other client succeeds, and soon. */
export function goalsOfMisbehaving(report: MisbehavingReport | null): Goal[] {
  const waited = report?.platforms.find(({ count }) => count === 4)?.waited ?? []
  const worstMs = waited.length === 0 ? Number.NaN : Math.max(...waited.map(({ p99Ms }) => p99Ms))
  const failed = waited.reduce((sum, one) => sum + failuresOf(one), 0)
  return [
    {
      name: 'highest p99 of another client while 4 platforms misbehave',
      measured: `${figure(worstMs)} ms, ${figure(failed)} failed`,
      wanted: `under ${MOST_P99_MS} ms, none`,
      verdict: verdict(worstMs, worstMs < MOST_P99_MS && failed === 0),
    },
  ]
}

function failuresOf({ failed }: Waited): number {
  return Object.values(failed).reduce((sum, count) => sum + count, 0)
}

export function renderMisbehaving({ platforms, pages }: MisbehavingReport): string {
  const settings = Object.entries(MISBEHAVING_SETTINGS).map(([name, value]) => `${name}=${value}`)
  const rows = platforms.flatMap(({ count, waited }) =>
    waited.map(one => [
      `${count}: ${one.what}`,
      figure(one.p50Ms, 1),
      figure(one.p99Ms, 1),
      figure(one.requests),
      listed(one.failed),
    ]),
  )
  const floods = platforms.map(({ count, flood }) => [`${count} platforms`, listed(flood)])
  const read = pages.map(({ what, waited, flood }) => [
    what,
    figure(waited.p50Ms, 1),
    figure(waited.p99Ms, 1),
    listed(waited.failed),
    listed(flood),
  ])
  return [
    `A separate service with ${settings.join(', ')}. ${FLOODS.slice(0, -1).join(', ')} and ${FLOODS.at(-1)} platforms each keep ${REQUESTS_AT_ONCE} requests in progress: 700 changes of one of its agents, 100 changes of 25 others, 100 lists of agents. Each request is repeated when its response has come, after 429 and 503 a second later, as \`Retry-After\` asks. Meanwhile another client reads a balance, pays, and pauses an agent, and an administrator freezes an owner, one request at a time each. All clients, the service and PostgreSQL share the machine.`,
    table(
      ['Misbehaving platforms: request of the other client', 'p50 ms', 'p99 ms', 'times', 'failed'],
      rows,
    ),
    table(['Responses to the misbehaving platforms', 'status × times'], floods),
    `Payments of the other client, while ${READERS} connections repeat one request as fast as they can:`,
    table(['Repeated request', 'pay p50 ms', 'p99 ms', 'failed', 'responses'], read),
  ].join('\n\n')
}

function listed(statuses: Readonly<Record<string, number>>): string {
  const entries = Object.entries(statuses)
  return entries.length === 0
    ? '–'
    : entries.map(([status, count]) => `${status} × ${figure(count)}`).join(', ')
}
