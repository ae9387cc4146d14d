import type { Queryable } from '../../service/src/db/database.ts'
import { formatId, type Uuid } from '../../service/src/kernel/ids.ts'
import { figure, median } from './figures.ts'
import { requestText } from './flood.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { LoadReport, Payer } from './messages.ts'
import type { Network } from './network.ts'
import type { Options } from './options.ts'
import type { Stage } from './stage.ts'
import { meterUsage, type Usage } from './usage.ts'

/** A payment of the network, and both its agents. */
interface Paid {
  readonly id: Uuid
  readonly payer: Payer
  readonly payee: Payer
}

interface Read {
  readonly title: string
  /** The wanted ratio of its rate to that of payments. */
  readonly wanted: number
  /** How many different requests there are; absent: DIFFERENT. */
  readonly different?: number
  readonly request: (paid: Paid) => string
}

const DIFFERENT = 4_096
/** More than the service keeps signatures of, so that each is signed when it is read. */
const DIFFERENT_RECEIPTS = 24_000

const get = (path: string, { key }: Payer) => requestText('GET', path, { 'x-agent-key': key })

/** Each is asked by the agent itself. */
const READS = {
  balance: {
    title: 'balance',
    wanted: 2.5,
    request: ({ payer }) => get(`/v1/agents/${payer.id}/balance`, payer),
  },
  me: { title: 'agents/me', wanted: 2, request: ({ payer }) => get('/v1/agents/me', payer) },
  payment: {
    title: 'one payment',
    wanted: 2,
    request: ({ id, payer }) => get(`/v1/agents/${payer.id}/payments/${formatId('pay', id)}`, payer),
  },
  receipt: {
    title: 'one receipt, signed at the read',
    wanted: 1,
    different: DIFFERENT_RECEIPTS,
    request: ({ id, payer }) => get(`/v1/receipts/${formatId('rcp', id)}`, payer),
  },
  again: {
    title: 'one receipt that was read lately',
    wanted: 2,
    request: ({ id, payer }) => get(`/v1/receipts/${formatId('rcp', id)}`, payer),
  },
  verify: {
    title: 'verify',
    wanted: 2,
    request: ({ id, payee }) =>
      get(`/v1/transactions/${formatId('pay', id)}/verify?expected_amount=1`, payee),
  },
  statement: {
    title: 'statement page of 20',
    wanted: 1,
    request: ({ payer }) => get(`/v1/agents/${payer.id}/transactions?limit=20`, payer),
  },
  evaluate: {
    title: 'evaluate',
    wanted: 1,
    request: ({ payer, payee }) =>
      requestText(
        'POST',
        `/v1/agents/${payer.id}/policy/evaluate`,
        { 'x-agent-key': payer.key },
        { to: payee.id, amount: 2.5 },
      ),
  },
  headroom: {
    title: 'policy with headroom',
    wanted: 1,
    request: ({ payer }) => get(`/v1/agents/${payer.id}/policy`, payer),
  },
} satisfies Record<string, Read>

type Name = keyof typeof READS
const NAMES = Object.keys(READS) as Name[]

interface ReadRound extends LoadReport {
  readonly usage: Usage | null
}

/** The rounds of payments and of each read. */
export interface ReadsReport {
  readonly rounds: Readonly<Record<Name | 'payments', readonly ReadRound[]>>
  /** Payments that were made meanwhile. */
  readonly paid: number
}

const CONNECTIONS = 64
const WARM_UP_MS = 1_000
const FIRST_WARM_UP_S = 3

/** Payments and each read alternately on the service of the payments. */
export async function measureReads(
  { generator, processes, db }: Stage,
  network: Network,
  options: Pick<Options, 'rounds' | 'seconds'>,
  say: (line: string) => void,
): Promise<ReadsReport> {
  const everyone = ['payments', ...NAMES] as const
  const rounds: Record<Name | 'payments', ReadRound[]> = {
    payments: [],
    ...(Object.fromEntries(NAMES.map(name => [name, []])) as unknown as Record<Name, ReadRound[]>),
  }
  let paid = 0

  async function round(name: Name | 'payments', seconds: number): Promise<ReadRound> {
    let stopMeter: (() => Usage | null) | undefined
    let usage: Usage | null = null
    const timing = { connections: CONNECTIONS, warmUpMs: WARM_UP_MS, measureMs: seconds * 1_000 }
    const what =
      name === 'payments' ? ({ payee: 'random', agents: 'usual' } as const) : { prepared: `read ${name}` }
    const report = await generator.run(
      { ...timing, ...what },
      {
        onBegan: () => {
          stopMeter = meterUsage(processes)
        },
        onEnded: () => {
          usage = stopMeter?.() ?? null
        },
      },
    )
    if (report.refusal !== null) throw new Error(`a read of ${name} was refused: ${report.refusal}`)
    if (name === 'payments') paid += report.paid
    return { ...report, usage }
  }

  await round('payments', FIRST_WARM_UP_S)
  const payments = await lastPayments(db, network.groups.usual)
  for (const name of NAMES) {
    const { request, different = DIFFERENT }: Read = READS[name]
    await generator.prepare(`read ${name}`, payments.slice(0, different).map(request))
    await round(name, FIRST_WARM_UP_S)
  }
  for (let index = 0; index < options.rounds; index++) {
    for (const name of index % 2 === 0 ? everyone : everyone.toReversed()) {
      const measured = await round(name, options.seconds)
      rounds[name].push(measured)
      say(`round ${index + 1}: ${titleOf(name)}: ${figure(perSecond(measured))}/s`)
    }
  }
  return { rounds, paid }
}

async function lastPayments(db: Queryable, payers: readonly Payer[]): Promise<Paid[]> {
  const byId = new Map(payers.map(payer => [payer.id, payer]))
  const rows = await db.query<{ id: Uuid; debitAccount: Uuid; creditAccount: Uuid }>(
    `select id, debit_account as "debitAccount", credit_account as "creditAccount"
     from transfers where kind = 'payment' order by id desc limit $1`,
    [DIFFERENT_RECEIPTS],
  )
  return rows.flatMap(({ id, debitAccount, creditAccount }) => {
    const payer = byId.get(formatId('agt', debitAccount))
    const payee = byId.get(formatId('agt', creditAccount))
    return payer === undefined || payee === undefined ? [] : [{ id, payer, payee }]
  })
}

function titleOf(name: Name | 'payments'): string {
  return name === 'payments' ? 'payments' : READS[name].title
}

function ratioOf({ rounds }: ReadsReport, name: Name): number {
  const payments = rounds.payments.map(perSecond)
  return median(rounds[name].map((round, index) => perSecond(round) / (payments[index] ?? Number.NaN)))
}

export function judgeReads(report: ReadsReport | null): Goal[] {
  return NAMES.map(name => {
    const { title, wanted } = READS[name]
    const ratio = report === null ? Number.NaN : ratioOf(report, name)
    return {
      name: `${title} ÷ payments, ${CONNECTIONS} connections`,
      measured: figure(ratio, 2),
      wanted: `at least ${wanted}`,
      verdict: verdict(ratio, ratio >= wanted),
    }
  })
}

export function renderReads(report: ReadsReport): string {
  const rows = (['payments', ...NAMES] as const).map(name => {
    const rounds = report.rounds[name]
    const cpu = (of: (usage: Usage) => number) =>
      figure(
        median(
          rounds.map(each => (each.usage === null ? Number.NaN : (of(each.usage) * 1e6) / each.counted)),
        ),
      )
    return [
      titleOf(name),
      figure(median(rounds.map(perSecond))),
      name === 'payments' ? '1' : figure(ratioOf(report, name), 2),
      figure(median(rounds.map(({ p50Ms }) => p50Ms)), 1),
      figure(median(rounds.map(({ p99Ms }) => p99Ms)), 1),
      cpu(usage => usage.service),
      cpu(usage => usage.postgres),
    ]
  })
  return [
    `Payments and reads alternately, on ${CONNECTIONS} connections. Each agent reads what belongs to it, with its own key. Medians of ${report.rounds.payments.length} rounds, ratios of each round.`,
    table(['', 'per second', '÷ payments', 'p50 ms', 'p99 ms', 'service µs', 'PostgreSQL µs'], rows),
  ].join('\n\n')
}
