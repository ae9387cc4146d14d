import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { routes } from '@batua/contract'
import pMap from 'p-map'
import { type Api, type Headers, openApi } from './api.ts'
import type { Cleanup } from './cleanup.ts'
import { figure, median } from './figures.ts'
import { requestText, startFlood } from './flood.ts'
import { type Goal, verdict } from './goals.ts'
import { startLoadGenerator } from './load-generator.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { LoadReport } from './messages.ts'
import { createNetwork } from './network.ts'
import type { Options } from './options.ts'
import { readServerAddress } from './server-address.ts'
import { SERVICE_SETTINGS, startService } from './service.ts'
import { runMetered, type Usage } from './usage.ts'

/** Payments as fast as possible, while consoles are open or not. */
interface StreamsRound extends LoadReport {
  readonly connections: number
  readonly isWatched: boolean
  readonly usage: Usage | null
}

export interface StreamsReport {
  readonly rounds: readonly StreamsRound[]
  /** Streams that got a response, in each round with open ones. */
  readonly opened: readonly number[]
}

export const STREAMS = 10_000
/** Of one session, as of a person with a few open pages. */
const STREAMS_EACH = 4
const CONNECTIONS = [64, 256]
const AGENTS = 2_000
const WARM_UP_MS = 2_000
const FIRST_WARM_UP_S = 3
const AT_ONCE = { concurrency: 32 }
const LEAST = 0.95

/** A separate service; owners whose agents do nothing hold the streams, and other agents pay. */
export async function measureStreams(
  options: Options,
  undo: Cleanup,
  say: (line: string) => void,
): Promise<StreamsReport> {
  const dataDir = mkdtempSync(join(options.dataParent ?? tmpdir(), 'batua-bench-'))
  undo.add(() => rmSync(dataDir, { recursive: true, force: true }))
  const service = startService(dataDir, options.profileFolder, {
    ...SERVICE_SETTINGS,
    MAX_STREAMS_PER_NETWORK: '0',
  })
  undo.add(service.stop)
  const address = await service.ready
  const port = Number(new URL(address).port)
  const processes = { service: service.pid, postmaster: readServerAddress(dataDir).postmasterPid }
  const generator = startLoadGenerator()
  undo.add(generator.stop)
  const api = openApi(address)
  say('open streams: creating the agents that pay')
  const network = await createNetwork(api, AGENTS)
  await generator.introduce({ port, groups: network.groups })
  say('open streams: logging owners in')
  const sessions = await pMap(
    Array.from({ length: STREAMS / STREAMS_EACH }),
    (_, index) => logIn(api, network.platform, index),
    AT_ONCE,
  )
  const streams = sessions.map(headers => ({
    text: requestText('GET', '/api/web/events', { ...headers, accept: 'text/event-stream' }),
    connections: STREAMS_EACH,
  }))

  const round = (connections: number, seconds: number) =>
    runMetered(
      { generator, processes },
      { connections, payee: 'random', agents: 'usual', warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000 },
    )

  const rounds: StreamsRound[] = []
  const opened: number[] = []
  for (const connections of CONNECTIONS) await round(connections, FIRST_WARM_UP_S)
  for (let index = 0; index < options.rounds; index++) {
    for (const isWatched of index % 2 === 0 ? [false, true] : [true, false]) {
      const flood = isWatched ? await startFlood({ port, requests: [], pages: [], streams }) : null
      for (const connections of CONNECTIONS) {
        const measured = { ...(await round(connections, options.seconds)), connections, isWatched }
        rounds.push(measured)
        say(
          `round ${index + 1}: ${connections} connections, ${isWatched ? STREAMS : 0} streams: ${Math.round(perSecond(measured))}/s`,
        )
      }
      if (flood !== null) opened.push((await flood.stop()).statuses['200'] ?? 0)
    }
  }
  return { rounds, opened }
}

async function logIn(api: Api, platform: Headers, index: number): Promise<Headers> {
  const number = String(index).padStart(4, '0')
  const phone = `910000${number}`
  const body = { name: 'Meera Iyer', phone, pan: `WATCH${number}R` }
  await api.call(routes.createOwner, { headers: platform, body })
  await api.call(routes.sendOtp, { body: { phone } })
  const { code } = await api.call(routes.getSandboxOtp, { params: { phone } })
  return api.cookieOf(routes.verifyOtp, { body: { phone, code } })
}

/** Payments with the open streams over those without, in the same round. */
function ratio({ rounds }: StreamsReport, connections: number): number {
  const rates = (isWatched: boolean) =>
    rounds.filter(each => each.connections === connections && each.isWatched === isWatched).map(perSecond)
  const without = rates(false)
  return median(rates(true).map((rate, index) => rate / (without[index] ?? Number.NaN)))
}

export function goalsOfStreams(report: StreamsReport | null): Goal[] {
  return CONNECTIONS.map(connections => {
    const measured = report === null ? Number.NaN : ratio(report, connections)
    return {
      name: `payments with ${figure(STREAMS)} open streams ÷ without, ${connections} connections`,
      measured: figure(measured, 2),
      wanted: `at least ${LEAST}`,
      verdict: verdict(measured, measured >= LEAST),
    }
  })
}

export function renderStreams({ rounds, opened }: StreamsReport): string {
  const rows = CONNECTIONS.flatMap(connections =>
    [false, true].map(isWatched => {
      const some = rounds.filter(each => each.connections === connections && each.isWatched === isWatched)
      const cpu = (of: (usage: Usage) => number) =>
        median(some.map(each => (each.usage === null ? Number.NaN : (of(each.usage) * 1e6) / each.counted)))
      return [
        `${connections} connections, ${figure(isWatched ? STREAMS : 0)} streams`,
        figure(median(some.map(perSecond))),
        figure(median(some.map(({ p50Ms }) => p50Ms)), 1),
        figure(median(some.map(({ p99Ms }) => p99Ms)), 1),
        figure(cpu(usage => usage.service)),
        figure(cpu(usage => usage.postgres)),
      ]
    }),
  )
  return [
    `A separate service. ${figure(STREAMS)} streams of \`/api/web/events\` are open, ${STREAMS_EACH} of each of ${figure(STREAMS / STREAMS_EACH)} owners, while agents of other owners pay. In alternating rounds the streams are closed. ${figure(Math.min(...opened))} of them got a response, in the worst round.`,
    table(['Payments', 'per second', 'p50 ms', 'p99 ms', 'service µs', 'PostgreSQL µs'], rows),
  ].join('\n\n')
}
