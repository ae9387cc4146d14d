import { openApi } from './api.ts'
import type { Cleanup } from './cleanup.ts'
import { figure, median } from './figures.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import { createNetwork } from './network.ts'
import type { Options } from './options.ts'
import { get, lastPayments, type Paid, READS } from './reads.ts'
import { type Stage, setStage } from './stage.ts'

/** What is measured while the history is short, and again when it is long. */
const MEASURED = {
  payments: { title: 'payments', request: null },
  balance: READS.balance,
  statement: READS.statement,
  verify: READS.verify,
  audit: {
    title: 'audit page of 20',
    request: ({ payer }: Paid) => get(`/v1/agents/${payer.id}/audit?limit=20`, payer),
  },
} as const

type Name = keyof typeof MEASURED
const NAMES = Object.keys(MEASURED) as Name[]

/** The rates of one history, round by round. */
interface Rates {
  /** How many payments it had before the first round. */
  readonly payments: number
  readonly perSecond: Readonly<Record<Name, readonly number[]>>
}

export interface HistoryReport {
  readonly short: Rates
  readonly long: Rates
  readonly fillSeconds: number
}

const CONNECTIONS = 64
const SHORT = 10_000
const DIFFERENT = 4_096
const WARM_UP_MS = 1_000
const FILL_CONNECTIONS = 256
const FILL_MS = 10_000
const LEAST = 0.9

/** The same measurements with ten thousand payments and with `options.history`, on a separate service. */
export async function measureHistory(
  options: Options,
  undo: Cleanup,
  say: (line: string) => void,
): Promise<HistoryReport> {
  const stage = await setStage(options, undo, say)
  const { groups } = await createNetwork(openApi(stage.address), options.agents)
  await stage.generator.introduce({ port: Number(new URL(stage.address).port), groups })
  const measure = async (): Promise<Rates> => {
    const payments = await countPayments(stage)
    const newest = await lastPayments(stage.db, groups.usual, '')
    for (const name of NAMES) {
      const { request } = MEASURED[name]
      if (request !== null) await stage.generator.prepare(name, newest.slice(0, DIFFERENT).map(request))
    }
    const rates: Record<Name, number[]> = { payments: [], balance: [], statement: [], verify: [], audit: [] }
    for (let round = 0; round < options.rounds; round++) {
      for (const name of round % 2 === 0 ? NAMES : NAMES.toReversed()) {
        rates[name].push(await rateOf(stage, name, options.seconds * 1_000))
        say(`${figure(payments)} payments, ${MEASURED[name].title}: ${figure(rates[name].at(-1) ?? 0)}/s`)
      }
    }
    return { payments, perSecond: rates }
  }
  await fill(stage, SHORT, say)
  const short = await measure()
  const startedMs = performance.now()
  await fill(stage, options.history, say)
  const fillSeconds = (performance.now() - startedMs) / 1_000
  return { short, long: await measure(), fillSeconds }
}

/** Pays until there are so many payments. */
async function fill(stage: Stage, wanted: number, say: (line: string) => void): Promise<void> {
  for (let paid = await countPayments(stage); paid < wanted; ) {
    const left = wanted - paid
    // A short history is not passed by much.
    const measureMs = Math.min(FILL_MS, Math.max(200, left / 5))
    paid += (await run(stage, 'payments', { connections: FILL_CONNECTIONS, warmUpMs: 0, measureMs })).paid
    say(`${figure(paid)} of ${figure(wanted)} payments`)
  }
  await stage.db.query('vacuum analyze transfers')
  await stage.db.query('checkpoint')
}

async function countPayments({ db }: Stage): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int4 as count from transfers where kind = 'payment'`,
  )
  return row?.count ?? 0
}

async function rateOf(stage: Stage, name: Name, measureMs: number): Promise<number> {
  return perSecond(await run(stage, name, { connections: CONNECTIONS, warmUpMs: WARM_UP_MS, measureMs }))
}

async function run(
  { generator }: Stage,
  name: Name,
  timing: { readonly connections: number; readonly warmUpMs: number; readonly measureMs: number },
) {
  const what =
    name === 'payments' ? ({ payee: 'random', agents: 'usual' } as const) : ({ prepared: name } as const)
  const report = await generator.run({ ...timing, ...what })
  if (report.refusal !== null) throw new Error(`${MEASURED[name].title} was refused: ${report.refusal}`)
  return report
}

export function renderHistory({ short, long, fillSeconds }: HistoryReport): string {
  const rows = NAMES.map(name => {
    const [few, many] = [median(short.perSecond[name]), median(long.perSecond[name])]
    return [MEASURED[name].title, figure(few), figure(many), figure(many / few, 2)]
  })
  return [
    `On ${CONNECTIONS} connections, first with ${figure(short.payments)} payments in the ledger and then with ${figure(long.payments)}, which took ${figure(fillSeconds)} s to make. Medians of ${short.perSecond.payments.length} rounds a second. Wanted is ${LEAST}.`,
    table(
      ['', `${figure(short.payments)} payments`, `${figure(long.payments)} payments`, 'long ÷ short'],
      rows,
    ),
  ].join('\n\n')
}
