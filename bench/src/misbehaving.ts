import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { openApi } from './api.ts'
import type { Cleanup } from './cleanup.ts'
import { percentile } from './figures.ts'
import { type FloodOrder, requestText, startFlood } from './flood.ts'
import { createPlatforms, type Platform, type Probe, probesOf } from './misbehaving-network.ts'
import type { Options } from './options.ts'
import { SERVICE_SETTINGS, startService } from './service.ts'

/** How long the other client waited for one kind of request while platforms misbehaved. */
export interface Waited {
  readonly what: string
  readonly p50Ms: number
  readonly p99Ms: number
  readonly requests: number
  /** Responses other than 200, by status. */
  readonly failed: Readonly<Record<string, number>>
}

export interface MisbehavingReport {
  readonly platforms: readonly {
    readonly count: number
    readonly waited: readonly Waited[]
    readonly flood: Readonly<Record<string, number>>
  }[]
  readonly pages: readonly {
    readonly what: string
    readonly waited: Waited
    readonly flood: Readonly<Record<string, number>>
  }[]
}

export const FLOODS = [0, 1, 4, 20]
export const REQUESTS_AT_ONCE = 900
export const READERS = 16
const CHANGES_OF_ONE = 700
const CHANGES_OF_MANY = 100
const WARM_UP_MS = 2_000
/** After this time without requests, the service has finished those of the last flood. */
const CALM_MS = 2_000
const FORGED_BYTES = 60_000

/** The rate limits for each credential are off, as in all measurements; requests in flight and pages are limited. */
export const MISBEHAVING_SETTINGS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries(SERVICE_SETTINGS).filter(([name]) => !['MAX_IN_FLIGHT', 'RATE_LIMIT_PAGES'].includes(name)),
)

/** A separate service, a client that uses it, and platforms that send too many requests. */
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
  say('misbehaving platforms: creating them')
  const { platforms, otherClient } = await createPlatforms(openApi(address), Math.max(...FLOODS))
  const probes = probesOf(address, otherClient)
  const seconds = options.seconds

  const measured: MisbehavingReport['platforms'][number][] = []
  for (const count of FLOODS) {
    say(`misbehaving platforms: ${count}`)
    const requests = platforms.slice(0, count).flatMap(requestsOf)
    const figures = { count, ...(await probeDuring({ port, requests, pages: [] }, probes, seconds)) }
    measured.push(figures)
    say(JSON.stringify(figures))
  }
  const pages: MisbehavingReport['pages'][number][] = []
  const pay = probes.filter(({ what }) => what === 'pay')
  for (const [what, page] of PAGES) {
    say(`payments while ${READERS} connections request ${what}`)
    const order = {
      port,
      requests: [],
      pages: page === null ? [] : Array.from({ length: READERS }, () => page),
    }
    const { waited, flood } = await probeDuring(order, pay, seconds)
    for (const one of waited) pages.push({ what, waited: one, flood })
    say(JSON.stringify(pages.at(-1)))
  }
  return { platforms: measured, pages }
}

const PAGES: readonly [string, FloodOrder['pages'][number] | null][] = [
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

/** The requests of one platform: changes of one of its agents, changes of many, and lists. */
function requestsOf({ headers, agentIds }: Platform): FloodOrder['requests'] {
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

async function probeDuring(order: FloodOrder, probes: readonly Probe[], seconds: number) {
  const flood = await startFlood(order)
  await delay(WARM_UP_MS)
  const endMs = performance.now() + seconds * 1_000
  const waited = await Promise.all(probes.map(probe => watch(probe, endMs)))
  const { statuses } = await flood.stop()
  await delay(CALM_MS)
  return { waited, flood: statuses }
}

const PAUSE_MS = 10

/** Repeats one request, one at a time. */
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
    requests: tookMs.length,
    failed,
  }
}
