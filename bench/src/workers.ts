import type { Cleanup } from './cleanup.ts'
import { figure, median } from './figures.ts'
import { requestText } from './flood.ts'
import type { LoadGenerator } from './load-generator.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { Network } from './network.ts'
import type { Options } from './options.ts'
import { familyCpuSeconds, processCpuSeconds } from './proc.ts'
import { type Stage, startBeside } from './stage.ts'
import type { Round } from './two-nodes.ts'
import { runMetered } from './usage.ts'

const LOADS = ['payments', 'balance'] as const
type Load = (typeof LOADS)[number]
const WORKERS = [1, 2] as const
type Count = (typeof WORKERS)[number]

export interface WorkersReport {
  readonly rounds: Readonly<Record<Load, Readonly<Record<Count, readonly Round[]>>>>
  /** Payments acknowledged with 200. */
  readonly paid: number
}

const CONNECTIONS = 64
const WARM_UP_MS = 2_000
const READERS = 4_096

/** The same load through a service of one process and through one of two worker processes, alternately, on one database. */
export async function measureWorkers(
  stage: Stage,
  { groups }: Network,
  options: Pick<Options, 'rounds' | 'seconds'>,
  { undo, say }: { readonly undo: Cleanup; readonly say: (line: string) => void },
): Promise<WorkersReport> {
  const { generator, processes } = stage
  const beside = await startBeside(stage, groups, undo, { WORKERS: '2' })
  const { service: several, generator: other } = beside
  const balances = groups.usual
    .slice(0, READERS)
    .map(({ id, key }) => requestText('GET', `/v1/agents/${id}/balance`, { 'x-agent-key': key }))
  for (const each of [generator, other]) await each.prepare('read balance of workers', balances)
  const sides: Record<Count, { readonly generator: LoadGenerator; cpuSeconds(): number }> = {
    1: { generator, cpuSeconds: () => processCpuSeconds(processes.service) },
    2: { generator: other, cpuSeconds: () => familyCpuSeconds(several.pid) },
  }

  let paid = 0
  async function measure(load: Load, count: Count): Promise<Round> {
    const side = sides[count]
    const timing = { connections: CONNECTIONS, warmUpMs: WARM_UP_MS, measureMs: options.seconds * 1_000 }
    const what =
      load === 'payments'
        ? ({ payee: 'random', agents: 'usual' } as const)
        : { prepared: 'read balance of workers' }
    let [before, seconds] = [0, 0]
    const report = await runMetered(
      { generator: side.generator, processes },
      { ...timing, ...what },
      {
        onBegan: () => void (before = side.cpuSeconds()),
        onEnded: () => void (seconds = side.cpuSeconds() - before),
      },
    )
    if (report.refusal !== null) throw new Error(`a request of ${load} was refused: ${report.refusal}`)
    if (load === 'payments') paid += report.paid
    const us = (cpuSeconds: number) => (cpuSeconds * 1e6) / report.counted
    return {
      perSecond: perSecond(report),
      serviceUs: us(seconds),
      postgresUs: us(report.usage?.postgres ?? Number.NaN),
    }
  }

  const rounds = { payments: { 1: [], 2: [] }, balance: { 1: [], 2: [] } } as Record<
    Load,
    Record<Count, Round[]>
  >
  for (const load of LOADS) {
    for (const count of WORKERS) await measure(load, count)
    for (let round = 0; round < options.rounds; round++) {
      for (const count of round % 2 === 0 ? WORKERS : WORKERS.toReversed()) {
        const measured = await measure(load, count)
        rounds[load][count].push(measured)
        say(`round ${round + 1}: ${load} by ${count} worker(s) ${Math.round(measured.perSecond)}/s`)
      }
    }
  }
  await beside.stop()
  return { rounds, paid }
}

export function renderWorkers({ rounds }: WorkersReport): string {
  const row = (load: Load, count: Count) => {
    const measured = rounds[load][count]
    const ratios = measured.map(
      ({ perSecond }, at) => perSecond / (rounds[load][1][at]?.perSecond ?? Number.NaN),
    )
    return [
      `${load}, WORKERS=${count}`,
      figure(median(measured.map(round => round.perSecond))),
      figure(median(ratios), 2),
      figure(median(measured.map(round => round.serviceUs))),
      figure(median(measured.map(round => round.postgresUs))),
    ]
  }
  return [
    `The same load on ${CONNECTIONS} connections, by a service of one process and by one of two worker processes on the same database, alternately. CPU time of each request in µs, the parent process of the workers included.`,
    '',
    table(
      ['', 'per second', '÷ one process', 'service µs', 'PostgreSQL µs'],
      LOADS.flatMap(load => WORKERS.map(count => row(load, count))),
    ),
  ].join('\n')
}
