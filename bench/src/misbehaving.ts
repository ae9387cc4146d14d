import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openApi } from './api.ts'
import type { Cleanup } from './cleanup.ts'
import { type CrowdOrder, requestText, startCrowd } from './crowd.ts'
import { percentile } from './figures.ts'
import { createBystanders, type Platform, type Probe, probesOf } from './misbehaving-network.ts'
import type { Options } from './options.ts'
import { SERVICE_SETTINGS, startService } from './service.ts'

/** What a stranger waited for one thing while others misbehaved. */
export interface Waited {
  readonly what: string
  readonly p50Ms: number
  readonly p99Ms: number
  readonly answered: number
  /** Answers other than the one asked for, by status. */
  readonly failed: Readonly<Record<string, number>>
}

export interface MisbehavingReport {
  readonly platforms: readonly {
    readonly count: number
    readonly waited: readonly Waited[]
    readonly crowd: Readonly<Record<string, number>>
  }[]
  readonly pages: readonly {
    readonly what: string
    readonly waited: Waited
    readonly crowd: Readonly<Record<string, number>>
  }[]
}

export const CROWDS = [0, 1, 4, 20]
export const REQUESTS_AT_ONCE = 900
export const READERS = 16
const CHANGES_OF_ONE = 700
const CHANGES_OF_MANY = 100
const WARM_UP_MS = 2_000
/** A service that has been left alone for so long has nothing of the last crowd to do. */
const CALM_MS = 2_000
const FORGED_BYTES = 60_000

/** The limits for each credential are off, as in all of this; what is in flight and who asks for pages are limited. */
export const MISBEHAVING_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SERVICE_SETTINGS).filter(([name]) => !['MAX_IN_FLIGHT', 'RATE_LIMIT_PAGES'].includes(name)),
)

/** A service of its own, a stranger who uses it, and platforms that send it too much. */
export async function measureMisbehaving(
  options: Options,
  undo: Cleanup,
  say: (line: string) => void,
): Promise<MisbehavingReport> {
  const dataDir = mkdtempSync(join(options.dataParent ?? tmpdir(), 'batua-bench-'))
  undo.add(() => rmSync(dataDir, { recursive: true, force: true }))
  const service = startService(dataDir, options.profileFolder, MISBEHAVING_SETTINGS)
  undo.add(service.stop)
  const address = await service.ready
  const port = Number(new URL(address).port)
  say('misbehaving platforms: making them')
  const { platforms, stranger } = await createBystanders(openApi(address), Math.max(...CROWDS))
  const probes = probesOf(address, stranger)
  const seconds = options.seconds

  const measured: MisbehavingReport['platforms'][number][] = []
  for (const count of CROWDS) {
    say(`misbehaving platforms: ${count}`)
    const requests = platforms.slice(0, count).flatMap(requestsOf)
    const figures = { count, ...(await besides({ port, requests, pages: [] }, probes, seconds)) }
    measured.push(figures)
    say(JSON.stringify(figures))
  }
  const pages: MisbehavingReport['pages'][number][] = []
  const pay = probes.filter(({ what }) => what === 'pay')
  for (const [what, page] of PAGES) {
    say(`payments while ${READERS} connections ask for ${what}`)
    const order = {
      port,
      requests: [],
      pages: page === null ? [] : Array.from({ length: READERS }, () => page),
    }
    const { waited, crowd } = await besides(order, pay, seconds)
    for (const one of waited) pages.push({ what, waited: one, crowd })
    say(JSON.stringify(pages.at(-1)))
  }
  return { platforms: measured, pages }
}

const PAGES: readonly [string, CrowdOrder['pages'][number] | null][] = [
  ['nothing', null],
  ['/docs/js/scalar.js', { method: 'GET', path: '/docs/js/scalar.js' }],
  ['/metrics', { method: 'GET', path: '/metrics' }],
  ['/openapi.json', { method: 'GET', path: '/openapi.json' }],
  [
    'forged gateway webhooks of 60 KB',
    {
      method: 'POST',
      path: '/v1/gateway/sandbox/webhooks',
      headers: { 'content-type': 'application/json', 'x-webhook-signature': 'forged' },
      body: JSON.stringify({ data: 'x'.repeat(FORGED_BYTES) }),
    },
  ],
]

/** What one platform keeps under way: changes of one own agent, changes of many, and lists. */
function requestsOf({ headers, agentIds }: Platform): CrowdOrder['requests'] {
  const change = (id: string, connections: number) => ({
    text: requestText('PATCH', `/v1/agents/${id}`, headers, { spend_limit_per_tx: 100 }),
    connections,
  })
  const [one = '', ...many] = agentIds
  return [
    change(one, CHANGES_OF_ONE),
    ...many.map(id => change(id, CHANGES_OF_MANY / many.length)),
    {
      text: requestText('GET', '/v1/agents?limit=100', headers),
      connections: REQUESTS_AT_ONCE - CHANGES_OF_ONE - CHANGES_OF_MANY,
    },
  ]
}

async function besides(order: CrowdOrder, probes: readonly Probe[], seconds: number) {
  const crowd = await startCrowd(order)
  await delay(WARM_UP_MS)
  const endMs = performance.now() + seconds * 1_000
  const waited = await Promise.all(probes.map(probe => watch(probe, endMs)))
  const { statuses } = await crowd.stop()
  await delay(CALM_MS)
  return { waited, crowd: statuses }
}

const PAUSE_MS = 10

/** Does one thing again and again, one at a time. */
async function watch({ what, run }: Probe, endMs: number): Promise<Waited> {
  const tookMs: number[] = []
  const failed: Record<string, number> = {}
  while (performance.now() < endMs) {
    const startedMs = performance.now()
    const status = await run()
    tookMs.push(performance.now() - startedMs)
    if (status !== 200) failed[status] = (failed[status] ?? 0) + 1
    await delay(PAUSE_MS)
  }
  return {
    what,
    p50Ms: percentile(tookMs, 0.5),
    p99Ms: percentile(tookMs, 0.99),
    answered: tookMs.length,
    failed,
  }
}
