import type { Queryable } from '../../service/src/db/database.ts'
import { type Commits, readCommits } from './commits.ts'
import type { LoadGenerator } from './load-generator.ts'
import { LOADS, type LoadName } from './loads.ts'
import type { LoadReport } from './messages.ts'
import type { Options } from './options.ts'
import { endedChildrenCpuSeconds, type Processes } from './proc.ts'
import { growth, readStorage } from './storage.ts'
import type { Tpcb, TpcbReport } from './tpcb.ts'
import { meterUsage, runMetered, type Usage } from './usage.ts'

/** One load, measured once. */
export interface LoadMeasurement extends LoadReport {
  readonly usage: Usage | null
  readonly commandsPerCommit: number
  readonly secondsPerCommit: number
  /** What this load wrote to the database's write-ahead log, in bytes a payment. */
  readonly logBytesPerPayment: number
}

export interface TpcbMeasurement extends TpcbReport {
  readonly usage: Usage | null
  /** How long pgbench ran, including its start and its vacuum. */
  readonly seconds: number
  readonly cpuSeconds: number
}

/** Every measurement of every round; index 0 is the first round. */
export interface Measurements {
  readonly loads: ReadonlyMap<LoadName, readonly LoadMeasurement[]>
  readonly tpcb: readonly TpcbMeasurement[]
  /** The average latency of pgbench with one client, in milliseconds. */
  readonly tpcbAloneMs: readonly number[]
  /** Payments acknowledged with 200 while measuring and warming up. */
  readonly paid: number
}

export interface Bench {
  readonly options: Options
  readonly address: string
  readonly processes: Processes
  readonly generator: LoadGenerator
  readonly db: Queryable
  /** Null: not requested, or there is no pgbench. */
  readonly tpcb: Tpcb | null
  readonly say: (line: string) => void
}

const WARM_UP_MS = 1_000
/** The first minutes of a new database are not representative: code is cold, pages are new, none was logged yet. */
const FIRST_WARM_UP_S = 3

/** Runs all measurements, in one order and then in the reverse, so that a drift of the machine favours none. */
export async function measureAll(bench: Bench): Promise<Measurements> {
  const { options, say } = bench
  const loads = new Map<LoadName, LoadMeasurement[]>(options.loads.map(name => [name, []]))
  const tpcb: TpcbMeasurement[] = []
  const tpcbAloneMs: number[] = []
  const pgbench = bench.tpcb === null ? [] : (['tpcb', 'tpcb alone'] as const)
  const everyone = [...options.loads, ...pgbench]
  let paid = 0

  say('warming up')
  for (const name of everyone) {
    if (name === 'tpcb') await bench.tpcb?.run(FIRST_WARM_UP_S)
    else if (name !== 'tpcb alone') paid += (await measureLoad(bench, name, FIRST_WARM_UP_S)).paid
  }
  for (let round = 0; round < options.rounds; round++) {
    for (const name of round % 2 === 0 ? everyone : everyone.toReversed()) {
      if (name === 'tpcb' && bench.tpcb !== null) {
        const measured = await measureTpcb(bench, bench.tpcb)
        tpcb.push(measured)
        say(`round ${round + 1}: pgbench TPC-B ${Math.round(measured.perSecond)}/s`)
      } else if (name === 'tpcb alone' && bench.tpcb !== null) {
        const { averageMs } = await bench.tpcb.run(options.seconds, 1)
        tpcbAloneMs.push(averageMs)
        say(`round ${round + 1}: pgbench TPC-B, one client ${averageMs} ms`)
      } else if (name !== 'tpcb' && name !== 'tpcb alone') {
        const measured = await measureLoad(bench, name, options.seconds)
        loads.get(name)?.push(measured)
        paid += measured.paid
        say(
          `round ${round + 1}: ${LOADS[name].title} ${Math.round(perSecond(measured))}/s${refusals(measured)}`,
        )
      }
    }
  }
  return { loads, tpcb, tpcbAloneMs, paid }
}

export function perSecond(measured: LoadReport): number {
  return measured.counted / measured.seconds
}

function refusals({ refused, refusal }: LoadReport): string {
  if (refusal === null) return ''
  const counts = Object.entries(refused).map(([status, count]) => `${count} × ${status}`)
  return `, REFUSED ${counts.join(', ')}: ${refusal}`
}

async function measureLoad(bench: Bench, name: LoadName, seconds: number): Promise<LoadMeasurement> {
  const { address, db } = bench
  const { connections, payee, agents } = LOADS[name]
  const storage = await readStorage(db)
  const commits = await readCommits(address)
  const timing = { warmUpMs: WARM_UP_MS, measureMs: seconds * 1000 }
  const report = await runMetered(bench, { connections, payee, agents, ...timing })
  return {
    ...report,
    ...perCommit(commits, await readCommits(address)),
    logBytesPerPayment: growth(storage, await readStorage(db)).log / report.paid,
  }
}

function perCommit(before: Commits, after: Commits) {
  const commits = after.commits - before.commits
  return {
    commandsPerCommit: (after.commands - before.commands) / commits,
    secondsPerCommit: (after.seconds - before.seconds) / commits,
  }
}

async function measureTpcb({ options, processes }: Bench, tpcb: Tpcb): Promise<TpcbMeasurement> {
  const stopMeter = meterUsage(processes)
  const startMs = performance.now()
  const cpuBefore = endedChildrenCpuSeconds(process.pid)
  const report = await tpcb.run(options.seconds)
  return {
    ...report,
    usage: stopMeter(),
    seconds: (performance.now() - startMs) / 1000,
    cpuSeconds: endedChildrenCpuSeconds(process.pid) - cpuBefore,
  }
}
