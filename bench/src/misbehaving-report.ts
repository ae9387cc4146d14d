import { figure } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'
import {
  CROWDS,
  MISBEHAVING_SETTINGS,
  type MisbehavingReport,
  READERS,
  REQUESTS_AT_ONCE,
  type Waited,
} from './misbehaving.ts'

const MOST_P99_MS = 250

/** With four platforms, all that a stranger asks for is done, and soon. */
export function judgeMisbehaving(report: MisbehavingReport | null): Goal[] {
  const waited = report?.platforms.find(({ count }) => count === 4)?.waited ?? []
  const worstMs = waited.length === 0 ? Number.NaN : Math.max(...waited.map(({ p99Ms }) => p99Ms))
  const failed = waited.reduce((sum, one) => sum + failuresOf(one), 0)
  return [
    {
      name: 'a stranger’s p99 beside 4 misbehaving platforms, the worst',
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
      figure(one.answered),
      listed(one.failed),
    ]),
  )
  const crowds = platforms.map(({ count, crowd }) => [`${count} platforms`, listed(crowd)])
  const read = pages.map(({ what, waited, crowd }) => [
    what,
    figure(waited.p50Ms, 1),
    figure(waited.p99Ms, 1),
    listed(waited.failed),
    listed(crowd),
  ])
  return [
    `A service of its own with ${settings.join(', ')}. ${CROWDS.slice(0, -1).join(', ')} and ${CROWDS.at(-1)} platforms each keep ${REQUESTS_AT_ONCE} requests under way: 700 changes of one own agent, 100 changes of 25 others, 100 lists of agents. Each is sent again as soon as it is answered, after 429 and 503 a second later, as \`Retry-After\` asks. Meanwhile a stranger reads a balance, pays, and pauses an agent, and an administrator freezes an owner, each one at a time. Crowd, stranger, service and PostgreSQL share the machine.`,
    table(['Platforms: what the stranger does', 'p50 ms', 'p99 ms', 'times', 'failed'], rows),
    table(['What the crowd was answered', 'status × times'], crowds),
    `Payments of the stranger, while ${READERS} connections ask for one thing as fast as they can:`,
    table(['Asked for', 'pay p50 ms', 'p99 ms', 'failed', 'answered'], read),
  ].join('\n\n')
}

function listed(statuses: Readonly<Record<string, number>>): string {
  const entries = Object.entries(statuses)
  return entries.length === 0
    ? '–'
    : entries.map(([status, count]) => `${status} × ${figure(count)}`).join(', ')
}
