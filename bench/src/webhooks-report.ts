import { figure, mebibytes, median } from './figures.ts'
import { table } from './markdown.ts'
import { perSecond } from './measure.ts'
import type { WebhooksReport } from './webhooks.ts'
import { HANG_PAYMENTS_PER_SECOND, type HangRound } from './webhooks-hang.ts'
import { PAY_CONNECTIONS, type PayRound } from './webhooks-pay.ts'
import { STEADY_PAYMENTS_PER_SECOND, type SteadyReport } from './webhooks-steady.ts'

/** The part of the report about webhooks. */
export function renderWebhooks({ agents, pay, hang, steady }: WebhooksReport): string {
  return [
    `On a service of its own, ${figure(agents)} agents of two platforms pay each other; every payment is between the platforms, so that each of them is told of it. Their receivers are a process each on the same machine, whose CPU time is therefore taken from the service; they read whole webhooks, verify one in a thousand and answer 204.`,
    ...(pay.length === 0 ? [] : [renderPay(pay)]),
    ...(hang.length === 0 ? [] : [renderHang(hang)]),
    ...(steady === null ? [] : [renderSteady(steady)]),
  ].join('\n\n')
}

/** Payments with a webhook_url on both sides over payments without, round by round. */
export function shareWithWebhooks(pay: readonly PayRound[], connections: number): number {
  const told = payRounds(pay, connections, true).map(perSecond)
  const untold = payRounds(pay, connections, false).map(perSecond)
  return median(told.map((rate, round) => rate / (untold[round] ?? Number.NaN)))
}

/** p99 beside a receiver that hangs over p99 beside one that answers, round by round. */
export function slownessBesideHanging(hang: readonly HangRound[]): number {
  const beside = hang.filter(({ manner }) => manner === 'hang').map(({ p99Ms }) => p99Ms)
  const alone = hang.filter(({ manner }) => manner === 'answer').map(({ p99Ms }) => p99Ms)
  return median(beside.map((p99Ms, round) => p99Ms / (alone[round] ?? Number.NaN)))
}

/** The service's memory in the last third of the steady load over that in its first. */
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
    'told',
    'left over',
    'told within s',
    'given up',
    'not 200',
  ]
  const cpuHead = ['CPU time of each payment', 'service µs', 'PostgreSQL µs', 'receivers µs', 'load µs']
  const cases = PAY_CONNECTIONS.flatMap(connections =>
    [false, true].map(isRegistered => ({
      title: `${connections} connections, ${isRegistered ? 'told on both sides' : 'no webhook_url'}`,
      rounds: payRounds(pay, connections, isRegistered),
    })),
  )
  return [
    'Payments as fast as they are answered, alternately without a webhook_url and with one on both sides. Told are webhooks a second while paying; left over what had piled up when the last payment was answered, how long that took to be told, and what was given up with the webhook_url after so long.',
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
  const rows = (['answer', 'hang'] as const).map(manner => {
    const rounds = hang.filter(round => round.manner === manner)
    return [
      manner === 'answer' ? 'the other answers' : 'the other hangs',
      of(rounds, round => round.perSecond),
      of(rounds, round => round.p50Ms, 1),
      of(rounds, round => round.p99Ms, 1),
      of(rounds, round => round.longestMs, 1),
      of(rounds, round => round.otherAnswered),
      of(rounds, round => round.otherHeld),
    ]
  })
  return [
    `How long after its payment a webhook arrives at one receiver, of ${figure(HANG_PAYMENTS_PER_SECOND)} payments a second that tell both, while the other answers or takes webhooks and never answers.`,
    table(['', 'per second', 'p50 ms', 'p99 ms', 'longest ms', 'other answered', 'other held'], rows),
  ].join('\n\n')
}

function renderSteady(report: SteadyReport): string {
  const { perSecondDelivered, delivered, usage, drain, memory } = report
  const [first, last] = outerThirds(memory)
  const cpu = (seconds: number | undefined) => `${figure(((seconds ?? Number.NaN) * 1e6) / delivered)} µs`
  const rows: [string, string][] = [
    ['Webhooks a second', figure(delivered / report.seconds)],
    ['in the second with fewest', figure(Math.min(...perSecondDelivered))],
    ['in the second with most', figure(Math.max(...perSecondDelivered))],
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
    `${figure(STEADY_PAYMENTS_PER_SECOND)} payments a second for ${figure(report.seconds)} s that tell both sides.`,
    table(['', 'measured'], rows),
  ].join('\n\n')
}

function of<Round>(rounds: readonly Round[], read: (round: Round) => number, places = 0): string {
  return figure(median(rounds.map(read)), places)
}
