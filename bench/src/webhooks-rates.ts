import { figure, median } from './figures.ts'
import { table } from './markdown.ts'
import type { LoadReport } from './messages.ts'
import type { Usage } from './usage.ts'
import {
  type Drain,
  drain,
  payAcross,
  register,
  totalOf,
  unregister,
  type WebhookStage,
} from './webhooks-stage.ts'

/** Payments at a fixed rate, with or without a webhook_url on both sides. */
export interface RateRound extends LoadReport {
  readonly wantedPerSecond: number
  readonly isRegistered: boolean
  readonly usage: Usage | null
  /** Webhooks with a response within the window. */
  readonly delivered: number
  /** The undelivered events at the response to the last payment; null: there is no webhook_url. */
  readonly drain: Drain | null
}

/** The rate at which the cost of a webhook is measured, and the one whose webhooks must arrive at once. */
const COST_PER_SECOND = 1_000
const FAST_PER_SECOND = 2_000
const RATES = [
  { wantedPerSecond: COST_PER_SECOND, isRegistered: false },
  { wantedPerSecond: COST_PER_SECOND, isRegistered: true },
  { wantedPerSecond: FAST_PER_SECOND, isRegistered: true },
] as const
const CONNECTIONS = 64
const WARM_UP_MS = 3_000
const DRAIN_WITHIN_MS = 20_000

/** In one order and then in the other. */
export async function measureRates(
  stage: WebhookStage,
  rounds: number,
  seconds: number,
): Promise<RateRound[]> {
  const measured: RateRound[] = []
  for (let round = 0; round < rounds; round++) {
    for (const rate of round % 2 === 0 ? RATES : RATES.toReversed()) {
      measured.push(await measureRate(stage, rate, seconds))
      const { wantedPerSecond, delivered, drain: left } = measured.at(-1) as RateRound
      stage.say(
        `round ${round + 1}: ${wantedPerSecond} payments/s, ${Math.round(delivered / seconds)} webhooks/s, the last after ${Math.round((left?.seconds ?? 0) * 1_000)} ms`,
      )
    }
  }
  return measured
}

async function measureRate(
  stage: WebhookStage,
  rate: (typeof RATES)[number],
  seconds: number,
): Promise<RateRound> {
  if (rate.isRegistered) await register(stage)
  const before = await totalOf(stage)
  const { report, usage, figures } = await payAcross(stage, {
    connections: CONNECTIONS,
    perSecond: rate.wantedPerSecond,
    warmUpMs: WARM_UP_MS,
    measureMs: seconds * 1_000,
  })
  const left = rate.isRegistered ? await drain(stage, before + 2 * report.paid, DRAIN_WITHIN_MS) : null
  if (rate.isRegistered) await unregister(stage)
  const [one, other] = figures
  return { ...report, ...rate, usage, delivered: one.counted + other.counted, drain: left }
}

/** How long after the last payment the last webhook had its response, at the higher rate: the median, in seconds. */
export function lastAfterSeconds(rates: readonly RateRound[]): number {
  return median(roundsOf(rates, FAST_PER_SECOND, true).map(({ drain: left }) => left?.seconds ?? Number.NaN))
}

/** What a webhook adds in CPU time, in µs: half of the difference for a payment, round by round. */
export function costOfWebhook(rates: readonly RateRound[], of: 'service' | 'postgres'): number {
  const without = roundsOf(rates, COST_PER_SECOND, false)
  return median(
    roundsOf(rates, COST_PER_SECOND, true).map(
      (round, at) => (cpuUs(round, of) - cpuUs(without[at], of)) / 2,
    ),
  )
}

export function renderRates(rates: readonly RateRound[]): string {
  const rows = RATES.map(({ wantedPerSecond, isRegistered }) => {
    const rounds = roundsOf(rates, wantedPerSecond, isRegistered)
    const of = (read: (round: RateRound) => number, places = 0) => figure(median(rounds.map(read)), places)
    return [
      `${figure(wantedPerSecond)} payments a second, ${isRegistered ? 'webhooks on both sides' : 'no webhook_url'}`,
      of(round => round.counted / round.seconds),
      of(round => round.delivered / round.seconds),
      isRegistered ? of(round => (round.drain?.seconds ?? Number.NaN) * 1_000) : '–',
      of(round => cpuUs(round, 'service')),
      of(round => cpuUs(round, 'postgres')),
    ]
  })
  return [
    `Payments at a fixed rate, alternately. A webhook adds ${figure(costOfWebhook(rates, 'service'))} µs of CPU time in the service and ${figure(costOfWebhook(rates, 'postgres'))} µs in PostgreSQL: half of the difference between the first two rows, round by round.`,
    table(
      [
        '',
        'payments/s',
        'webhooks/s',
        'last webhook after ms',
        'service µs a payment',
        'PostgreSQL µs a payment',
      ],
      rows,
    ),
  ].join('\n\n')
}

function roundsOf(
  rates: readonly RateRound[],
  wantedPerSecond: number,
  isRegistered: boolean,
): readonly RateRound[] {
  return rates.filter(
    round => round.wantedPerSecond === wantedPerSecond && round.isRegistered === isRegistered,
  )
}

function cpuUs(round: RateRound | undefined, of: 'service' | 'postgres'): number {
  return ((round?.usage?.[of] ?? Number.NaN) * 1e6) / (round?.counted ?? Number.NaN)
}
