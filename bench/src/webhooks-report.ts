import { figure, mebibytes, median } from './figures.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { WebhooksReport } from './webhooks.ts'
import { HANG_PAYMENTS_PER_SECOND, type HangRound } from './webhooks-hang.ts'
import { PAY_CONNECTIONS, type PayRound } from './webhooks-pay.ts'
import { renderRates } from './webhooks-rates.ts'
import { STEADY_PAYMENTS_PER_SECOND, type SteadyReport } from './webhooks-steady.ts'

/** The section of the report about webhooks. */
export function renderWebhooks({ agents, pay, hang, steady, rates }: WebhooksReport): string {
  return [
    `On a separate service, ${figure(agents)} agents of two platforms pay each other; every payment is between the platforms, so each of them gets a webhook. Each has a receiver in a separate process on the same machine, which therefore takes CPU time from the service. The receivers read whole webhooks, verify one in a thousand and respond with 204.`,
    ...(pay.length === 0 ? [] : [renderPay(pay)]),
    ...(hang.length === 0 ? [] : [renderHang(hang)]),
    ...(steady === null ? [] : [renderSteady(steady)]),
    ...(rates.length === 0 ? [] : [renderRates(rates)]),
  ].join('\n\n')
}

/** The ratio of payments with a webhook_url on both sides to payments without, round by round. */
export function shareWithWebhooks(pay: readonly PayRound[], connections: number): number {
  const withWebhooks = payRounds(pay, connections, true).map(perSecond)
  const without = payRounds(pay, connections, false).map(perSecond)
  return median(withWebhooks.map((rate, round) => rate / (without[round] ?? Number.NaN)))
}

/** How many webhooks a second had a response while payments took all that the machine has: the lower median. */
export function deliveredUnderLoad(pay: readonly PayRound[]): number {
  const medians = PAY_CONNECTIONS.map(connections =>
    median(payRounds(pay, connections, true).map(({ delivered, seconds }) => delivered / seconds)),
  )
  return Math.min(...medians)
}

/** The ratio of the p99 while another receiver hangs to the p99 while it responds, round by round. */
export function slowdownWhileHanging(hang: readonly HangRound[]): number {
  const hanging = hang.filter(({ manner }) => manner === 'hang').map(({ p99Ms }) => p99Ms)
  const responding = hang.filter(({ manner }) => manner === 'respond').map(({ p99Ms }) => p99Ms)
  return median(hanging.map((p99Ms, round) => p99Ms / (responding[round] ?? Number.NaN)))
}

/** The ratio of the service's memory in the last third of the steady load to that in the first. */
export function memoryGrowth({ memory }: SteadyReport): number {
  const [first, last] = outerThirds(memory)
  return last / first
}

function outerThirds(memory: readonly number[]): [number, number] {
  const third = Math.floor(memory.length / 3)
  return [median(memory.slice(0, third)), median(memory.slice(memory.length - third))]
}

function payRounds(pay: readonly PayRound[], connections: number, isRegistered: boolean): PayRound[] {
  return pay.filter(round => round.connections === connections && round.isRegistered === isRegistered)
}

function renderPay(pay: readonly PayRound[]): string {
  const head = [
    '',
    'per second',
    'p50 ms',
    'p99 ms',
    'webhooks/s',
    'backlog',
    'delivered in s',
    'undelivered',
    'not 200',
  ]
  const cpuHead = ['CPU time of each payment', 'service µs', 'PostgreSQL µs', 'receivers µs', 'load µs']
  const cases = PAY_CONNECTIONS.flatMap(connections =>
    [false, true].map(isRegistered => ({
      title: `${connections} connections, ${isRegistered ? 'webhooks on both sides' : 'no webhook_url'}`,
      rounds: payRounds(pay, connections, isRegistered),
    })),
  )
  return [
    'Payments as fast as their responses come, alternately without a webhook_url and with one on both sides. Columns: webhooks a second during the load; the backlog at the last response to a payment; how long its delivery took; and the events that were still undelivered after that time.',
    table(
      head,
      cases.map(({ title, rounds }) => payRow(title, rounds)),
    ),
    table(
      cpuHead,
      cases.map(({ title, rounds }) => cpuRow(title, rounds)),
    ),
  ].join('\n\n')
}

function payRow(title: string, rounds: readonly PayRound[]): string[] {
  const drains = rounds.flatMap(({ drain }) => (drain === null ? [] : [drain]))
  return [
    title,
    of(rounds, perSecond),
    of(rounds, round => round.p50Ms, 2),
    of(rounds, round => round.p99Ms, 2),
    of(rounds, round => round.delivered / round.seconds),
    of(drains, drain => drain.delivered + drain.missing),
    of(drains, drain => drain.seconds, 1),
    of(drains, drain => drain.missing),
    figure(rounds.flatMap(round => Object.values(round.refused)).reduce((sum, count) => sum + count, 0)),
  ]
}

function cpuRow(title: string, rounds: readonly PayRound[]): string[] {
  const readings: ((round: PayRound) => number)[] = [
    round => round.usage?.service ?? Number.NaN,
    round => round.usage?.postgres ?? Number.NaN,
    round => round.receiverCpuSeconds,
    round => round.cpuSeconds,
  ]
  return [title, ...readings.map(read => of(rounds, round => (read(round) * 1e6) / round.counted))]
}

function renderHang(hang: readonly HangRound[]): string {
  const rows = (['respond', 'hang'] as const).map(manner => {
    const rounds = hang.filter(round => round.manner === manner)
    return [
      manner === 'respond' ? 'the other responds' : 'the other hangs',
      of(rounds, round => round.perSecond),
      of(rounds, round => round.p50Ms, 1),
      of(rounds, round => round.p99Ms, 1),
      of(rounds, round => round.longestMs, 1),
      of(rounds, round => round.otherResponses),
      of(rounds, round => round.otherOpen),
    ]
  })
  return [
    `How long after its payment a webhook arrives at one receiver, at ${figure(HANG_PAYMENTS_PER_SECOND)} payments a second with webhooks to both, while the other receiver responds, or accepts webhooks and never responds.`,
    table(['', 'per second', 'p50 ms', 'p99 ms', 'longest ms', 'other’s responses', 'other’s open'], rows),
  ].join('\n\n')
}

function renderSteady(report: SteadyReport): string {
  const { perSecondDelivered, delivered, usage, drain, memory } = report
  const [first, last] = outerThirds(memory)
  const cpu = (seconds: number | undefined) => `${figure(((seconds ?? Number.NaN) * 1e6) / delivered)} µs`
  const rows: [string, string][] = [
    ['Webhooks a second', figure(delivered / report.seconds)],
    ['fewest in a second', figure(Math.min(...perSecondDelivered))],
    ['most in a second', figure(Math.max(...perSecondDelivered))],
    ['From payment to arrival, p50', `${figure(report.p50Ms, 1)} ms`],
    ['p99', `${figure(report.p99Ms, 1)} ms`],
    ['longest', `${figure(report.longestMs, 1)} ms`],
    ['Last payment to last webhook', `${figure(drain.seconds * 1000)} ms for ${figure(drain.delivered)}`],
    ['Payments that were not 200', figure(Object.values(report.refused).reduce((sum, one) => sum + one, 0))],
    ['Memory of the service, first third', mebibytes(first)],
    ['Memory of the service, last third', mebibytes(last)],
    ['CPU of the service a webhook, half a payment included', cpu(usage?.service)],
    ['CPU of PostgreSQL a webhook, half a payment included', cpu(usage?.postgres)],
    ['CPU of the receivers a webhook', cpu(report.receiverCpuSeconds)],
  ]
  return [
    `${figure(STEADY_PAYMENTS_PER_SECOND)} payments a second for ${figure(report.seconds)} s with webhooks to both sides.`,
    table(['', 'measured'], rows),
  ].join('\n\n')
}

function of<Round>(rounds: readonly Round[], read: (round: Round) => number, places = 0): string {
  return figure(median(rounds.map(read)), places)
}
