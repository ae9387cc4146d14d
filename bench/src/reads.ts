import type { Queryable } from '../../service/src/db/database.ts'
import { formatId, type Uuid } from '../../service/src/kernel/ids.ts'
import { figure, median } from './figures.ts'
import { requestText } from './flood.ts'
import { type Goal, verdict } from './goals.ts'
import type { LoadGenerator } from './load-generator.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { LoadReport, Payer } from './messages.ts'
import type { Network } from './network.ts'
import type { Options } from './options.ts'
import type { Stage } from './stage.ts'
import { runMetered, type Usage } from './usage.ts'

/** A payment of the network, and both its agents. */
export interface Paid {
  readonly id: Uuid
  readonly payer: Payer
  readonly payee: Payer
  readonly reference: string | null
}

interface Read {
  readonly title: string
  /** The wanted ratio of its rate to that of payments. */
  readonly wanted: number
  /** How many different requests there are; absent: DIFFERENT. */
  readonly different?: number
  /** Whether each payment may be asked for once. */
  readonly once?: boolean
  readonly request: (paid: Paid) => string
}

const DIFFERENT = 4_096
/** More than the service keeps signatures of, so that each is signed when it is read. */
const DIFFERENT_RECEIPTS = 24_000

export const get = (path: string, { key }: Payer) => requestText('GET', path, { 'x-agent-key': key })

/** Each is asked by the agent itself. */
export const READS = {
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
  consume: {
    title: 'verify that consumes, each payment and nonce once',
    wanted: 1,
    once: true,
    request: ({ id, payee, reference }) =>
      get(
        `/v1/transactions/${formatId('pay', id)}/verify?consume=true&consume_id=1&nonce=${reference}`,
        payee,
      ),
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

/** For each round of a read that asks once, which is short because it uses payments up. */
const ASKED_ONCE = 30_000
const ONCE_WARM_UP_MS = 500
const ONCE_SECONDS = 1.5
const PAY_ONCE_MS = 2_000
/** At a thousand a second. */
const MOST_PAY_RUNS = (ASKED_ONCE / 1_000) * (1_000 / PAY_ONCE_MS)

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
    const once = name !== 'payments' && isOnce(name)
    if (once) await generator.prepare(`read ${name}`, unread.splice(0, ASKED_ONCE).map(READS[name].request))
    const timing = {
      connections: CONNECTIONS,
      warmUpMs: once ? ONCE_WARM_UP_MS : WARM_UP_MS,
      measureMs: (once ? ONCE_SECONDS : seconds) * 1_000,
    }
    const what =
      name === 'payments' ? ({ payee: 'random', agents: 'usual' } as const) : { prepared: `read ${name}` }
    const report = await runMetered({ generator, processes }, { ...timing, ...what })
    if (once && report.paid > ASKED_ONCE)
      throw new Error(`${ASKED_ONCE} payments are too few to ${name} each once`)
    if (report.refusal !== null) throw new Error(`a read of ${name} was refused: ${report.refusal}`)
    if (name === 'payments') paid += report.paid
    return report
  }

  await round('payments', FIRST_WARM_UP_S)
  const payments = await lastPayments(db, network.groups.usual, '')
  paid += await payOnce(generator, network.groups.usual, options.rounds)
  const unread = await lastPayments(db, network.groups.usual, PAID_ONCE)
  for (const name of NAMES) {
    if (isOnce(name)) {
      await round(name, FIRST_WARM_UP_S)
      continue
    }
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

const PAID_ONCE = 'once-'

/** Makes the payments for the rounds of what asks for each once, and for their first warm-up; returns how many. */
async function payOnce(generator: LoadGenerator, payers: readonly Payer[], rounds: number): Promise<number> {
  const count = ASKED_ONCE * (rounds + 1)
  await generator.prepare('pay once', payRequests(payers, count))
  const order = { prepared: 'pay once', connections: CONNECTIONS, warmUpMs: 0, measureMs: PAY_ONCE_MS }
  let paid = 0
  for (let runs = 0; paid < count && runs < MOST_PAY_RUNS * (rounds + 1); runs++) {
    // A payment that was made is refused when its turn comes again.
    paid += (await generator.run(order)).paid
  }
  if (paid < count) throw new Error(`only ${paid} of ${count} payments were made`)
  return paid
}

/** Payments with a reference of their own. */
function payRequests(payers: readonly Payer[], count: number): string[] {
  return Array.from({ length: count }, (_, index) => {
    const [payer, payee] = [payers[index % payers.length], payers[(index + 1) % payers.length]]
    if (payer === undefined || payee === undefined) throw new Error('a network has at least two agents')
    const reference = `${PAID_ONCE}${index}`
    return requestText(
      'POST',
      `/v1/agents/${payer.id}/pay`,
      { 'x-agent-key': payer.key },
      { to: payee.id, amount: 1, reference, idempotency_key: reference },
    )
  })
}

function isOnce(name: Name): boolean {
  const { once = false }: Read = READS[name]
  return once
}

/** The newest payments whose reference begins so, with any or no reference where it is empty. */
export async function lastPayments(
  db: Queryable,
  payers: readonly Payer[],
  reference: string,
): Promise<Paid[]> {
  const byId = new Map(payers.map(payer => [payer.id, payer]))
  const rows = await db.query<Pick<Paid, 'id' | 'reference'> & { debitAccount: Uuid; creditAccount: Uuid }>(
    `select id, reference, debit_account as "debitAccount", credit_account as "creditAccount"
     from transfers where kind = 'payment' and coalesce(reference, '') like $1 || '%' order by id desc limit $2`,
    [reference, reference === '' ? DIFFERENT_RECEIPTS : null],
  )
  return rows.flatMap(({ id, reference, debitAccount, creditAccount }) => {
    const payer = byId.get(formatId('agt', debitAccount))
    const payee = byId.get(formatId('agt', creditAccount))
    return payer === undefined || payee === undefined ? [] : [{ id, reference, payer, payee }]
  })
}

function titleOf(name: Name | 'payments'): string {
  return name === 'payments' ? 'payments' : READS[name].title
}

function ratioOf({ rounds }: ReadsReport, name: Name): number {
  const payments = rounds.payments.map(perSecond)
  return median(rounds[name].map((round, index) => perSecond(round) / (payments[index] ?? Number.NaN)))
}

export function goalsOfReads(report: ReadsReport | null): Goal[] {
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
