import { type Database, openDatabase } from '../../service/src/db/database.ts'
import { migrate } from '../../service/src/db/migrate.ts'
import type { Uuid } from '../../service/src/kernel/ids.ts'
import { authorizationIntent, authorizedOn, captureOn } from '../../service/src/testing/authorizing.ts'
import { fund, insertAgent, order, startNode, type TestNode } from '../../service/src/testing/builders.ts'
import { held, intent, releaseOn } from '../../service/src/testing/escrows.ts'
import { manualClock } from '../../service/src/testing/manual-clock.ts'
import { AUTHORIZATIONS, at, measureReturns, type Returns } from './expiry.ts'
import { figure, median } from './figures.ts'
import { type Goal, verdict } from './goals.ts'
import { table } from './markdown.ts'
import type { Options } from './options.ts'
import { type ServerAddress, urlOf } from './server-address.ts'
import { openLimits } from './settlement.ts'

export interface SetAsideReport {
  /** How much money moves in a second, of each kind: the rates of all rounds. */
  readonly rates: Rates
  readonly returns: readonly Returns[]
}

type Rates = Readonly<Record<Kind, readonly number[]>>

type Kind = 'payments' | 'captures' | 'releases'

const KINDS: Readonly<Record<Kind, string>> = {
  payments: 'a payment',
  captures: 'an authorization, and the capture of all of it',
  releases: 'an escrow hold, and its release',
}
const LEAST_RATIO = 0.8
const MOST_MS = 5_000
const DATABASE = 'set_aside'
const NOON = new Date('2026-11-20T06:30:00.000Z')
const PAYERS = 200
const AT_ONCE = 64
const PAISE = 10_000n
const PLENTY = 1_000_000_000_000n
const WARM_UP_SECONDS = 2

type Move = (node: TestNode, database: Database, payer: Uuid, payee: Uuid) => Promise<unknown>

const MOVES: Readonly<Record<Kind, Move>> = {
  payments: (node, _, payer, payee) => node.pay(order(payer, payee, PAISE)),
  async captures(node, _, payer, payee) {
    const made = await authorizedOn(node, authorizationIntent(payer, payee, PAISE))
    await captureOn(node, made, 'total', PAISE, true)
  },
  async releases(node, database, payer, payee) {
    const escrow = await held(database, node, intent(payer, PAISE, { toAgentId: payee }))
    await releaseOn(node, escrow, payee)
  },
}

/** Payments, and what sets money aside first and moves it then, on one node without HTTP, in turns. */
export async function measureSetAside(
  server: ServerAddress,
  db: Database,
  options: Pick<Options, 'rounds' | 'seconds'>,
  say: (line: string) => void,
): Promise<SetAsideReport> {
  await db.query(`create database ${DATABASE}`)
  const url = urlOf({ ...server, database: DATABASE })
  await migrate(url)
  const database = openDatabase(url, { applicationName: 'bench' })
  try {
    await openLimits(database)
    const clock = manualClock(NOON)
    const node = startNode({ database, clock })
    const agents: Uuid[] = []
    for (let count = 0; count < PAYERS; count++) {
      const id = await insertAgent(database, clock.now())
      await fund(node.ledger, id, PLENTY)
      agents.push(id)
    }
    const rates: Record<Kind, number[]> = { payments: [], captures: [], releases: [] }
    const kinds = Object.keys(MOVES) as Kind[]
    const rateOf = (kind: Kind, seconds: number) =>
      rate(seconds, turn => MOVES[kind](node, database, at(agents, turn), at(agents, turn + 1)))
    for (const kind of kinds) await rateOf(kind, WARM_UP_SECONDS)
    for (let round = 0; round < options.rounds; round++) {
      for (const kind of round % 2 === 0 ? kinds : kinds.toReversed()) {
        rates[kind].push(await rateOf(kind, options.seconds))
        say(`round ${round + 1}: ${KINDS[kind]}: ${figure(rates[kind].at(-1) ?? 0)}/s`)
      }
    }
    const returns = await measureReturns({ node, database, clock, agents }, say)
    await node.ledger.close()
    return { rates, returns }
  } finally {
    await database.close()
  }
}

/** How often something is done in a second, with many at a time; each turn has another pair of agents. */
async function rate(seconds: number, work: (turn: number) => Promise<unknown>): Promise<number> {
  const [startedMs, endMs] = [performance.now(), performance.now() + seconds * 1_000]
  let done = 0
  let turn = 0
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (; performance.now() < endMs; done++) await work(turn++)
    }),
  )
  return (done / (performance.now() - startedMs)) * 1_000
}

function ratioOf({ rates }: SetAsideReport, kind: Kind): number {
  return median(rates[kind].map((perSecond, round) => perSecond / (rates.payments[round] ?? Number.NaN)))
}

export function goalsOfSetAside(report: SetAsideReport | null): Goal[] {
  const ratios = (['captures', 'releases'] as const).map(kind => {
    const ratio = report === null ? Number.NaN : ratioOf(report, kind)
    return {
      name: `${KINDS[kind]} ÷ payments`,
      measured: figure(ratio, 2),
      wanted: `at least ${LEAST_RATIO}`,
      verdict: verdict(ratio, ratio >= LEAST_RATIO),
    }
  })
  const lastMs = report === null ? Number.NaN : Math.max(...report.returns.map(({ p100Ms }) => p100Ms))
  const returned = {
    name: `the last of ${figure(AUTHORIZATIONS)} authorizations is returned`,
    measured: `after ${figure(lastMs / 1_000, 1)} s`,
    wanted: `within ${MOST_MS / 1_000} s`,
    verdict: verdict(lastMs, lastMs < MOST_MS),
  }
  return [...ratios, returned]
}

export function renderSetAside(report: SetAsideReport): string {
  const rows = (Object.keys(KINDS) as Kind[]).map(kind => [
    KINDS[kind],
    figure(median(report.rates[kind])),
    figure(ratioOf(report, kind), 2),
  ])
  return [
    `On one node without HTTP, ${AT_ONCE} at a time between ${PAYERS} agents, in turns. Medians of ${report.rates.payments.length} rounds. The second and third are two changes each.`,
    table(['', 'per second', '÷ payments'], rows),
    `${figure(AUTHORIZATIONS)} authorizations end at one moment. Something was captured of half of them. The jobs of the service return the rest and charge the fees, and another connection reads when each has ended.`,
    table(
      ['They end because', 'p50 ms', 'the last, ms'],
      report.returns.map(({ what, p50Ms, p100Ms }) => [what, figure(p50Ms), figure(p100Ms)]),
    ),
  ].join('\n\n')
}
