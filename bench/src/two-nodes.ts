import type { Cleanup } from './cleanup.ts'
import { figure, median } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import type { LoadGenerator } from './load-generator.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { LoadReport } from './messages.ts'
import type { Network } from './network.ts'
import type { Options } from './options.ts'
import { processCpuSeconds } from './proc.ts'
import { type Stage, startBeside } from './stage.ts'
import { runMetered } from './usage.ts'

/** The CPU time of a payment in microseconds and the payments a second, of each round. */
export interface TwoNodesReport {
  readonly one: readonly Round[]
  readonly two: readonly Round[]
  /** Payments acknowledged with 200. */
  readonly paid: number
}

/** The rate of one round, and the CPU time of a request in microseconds. */
export interface Round {
  readonly perSecond: number
  readonly serviceUs: number
  readonly postgresUs: number
}

const CONNECTIONS = 64
const WARM_UP_MS = 2_000
const MOST_RATIO = 1.1

/** The same load through one node, and half of it through each of two on the same database, alternately. */
export async function measureTwoNodes(
  stage: Stage,
  { groups }: Network,
  options: Pick<Options, 'rounds' | 'seconds'>,
  { undo, say }: { readonly undo: Cleanup; readonly say: (line: string) => void },
): Promise<TwoNodesReport> {
  const { generator, processes } = stage
  const { service: second, generator: other, stop } = await startBeside(stage, groups, undo)

  let paid = 0
  async function measure(generators: readonly LoadGenerator[]): Promise<Round> {
    const order = {
      connections: CONNECTIONS / generators.length,
      payee: 'random',
      agents: 'usual',
      warmUpMs: WARM_UP_MS,
      measureMs: options.seconds * 1000,
    } as const
    let before = 0
    let secondCpu = 0
    const window = {
      onBegan: () => void (before = processCpuSeconds(second.pid)),
      onEnded: () => void (secondCpu = processCpuSeconds(second.pid) - before),
    }
    const [first, ...others] = await Promise.all([
      runMetered({ generator, processes }, order, window),
      ...generators.slice(1).map(each => each.run(order)),
    ])
    const reports: readonly LoadReport[] = [first, ...others]
    paid += reports.reduce((sum, report) => sum + report.paid, 0)
    const counted = reports.reduce((sum, report) => sum + report.counted, 0)
    const us = (seconds: number) => (seconds * 1e6) / counted
    return {
      perSecond: reports.reduce((sum, report) => sum + perSecond(report), 0),
      serviceUs: us((first.usage?.service ?? Number.NaN) + (generators.length > 1 ? secondCpu : 0)),
      postgresUs: us(first.usage?.postgres ?? Number.NaN),
    }
  }

  const rounds = { one: [] as Round[], two: [] as Round[] }
  await measure([generator, other])
  for (let round = 0; round < options.rounds; round++) {
    for (const name of round % 2 === 0 ? (['one', 'two'] as const) : (['two', 'one'] as const)) {
      const measured = await measure(name === 'one' ? [generator] : [generator, other])
      rounds[name].push(measured)
      say(`round ${round + 1}: ${name} of two nodes ${Math.round(measured.perSecond)}/s`)
    }
  }
  await stop()
  return { ...rounds, paid }
}

function cpuRatio({ one, two }: TwoNodesReport): number {
  const cpu = (round: Round | undefined) =>
    (round?.serviceUs ?? Number.NaN) + (round?.postgresUs ?? Number.NaN)
  return median(two.map((round, at) => cpu(round) / cpu(one[at])))
}

export function goalsOfTwoNodes(report: TwoNodesReport | null): Goal[] {
  if (report === null) return []
  const ratio = cpuRatio(report)
  return [
    {
      name: 'CPU of a payment, two nodes on one database ÷ one',
      measured: figure(ratio, 2),
      wanted: `at most ${MOST_RATIO}`,
      verdict: verdict(ratio, ratio <= MOST_RATIO),
    },
  ]
}

export function renderTwoNodes({ one, two }: TwoNodesReport): string {
  const row = (title: string, rounds: readonly Round[]) => [
    title,
    figure(median(rounds.map(round => round.perSecond))),
    figure(median(rounds.map(round => round.serviceUs))),
    figure(median(rounds.map(round => round.postgresUs))),
  ]
  return [
    `Payments between the same agents on ${CONNECTIONS} connections, through one node or half of them through each of two on one database, alternately. CPU time of each payment in µs.`,
    '',
    table(['', 'per second', 'service µs', 'PostgreSQL µs'], [row('one node', one), row('two nodes', two)]),
  ].join('\n')
}
