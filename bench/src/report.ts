import { type AuditReport, VERIFY_MS } from './audit.ts'
import { figure, mebibytes, median } from './figures.ts'
import { goalsOfPayments } from './goals.ts'
import { LOADS, type LoadName, NEAR } from './loads.ts'
import { facts, table } from './markdown.ts'
import { type LoadMeasurement, type Measurements, perSecond, type TpcbMeasurement } from './measure.ts'
import type { MisbehavingReport } from './misbehaving.ts'
import { goalsOfMisbehaving, renderMisbehaving } from './misbehaving-report.ts'
import { LIMITS, OPENING_BALANCE_INR } from './network.ts'
import type { Options } from './options.ts'
import { goalsOfPackage, type PackageReport, renderPackage } from './package-size.ts'
import { goalsOfPayPerCall, type PayPerCallReport, renderPayPerCall } from './pay-per-call.ts'
import { goalsOfReads, type ReadsReport, renderReads } from './reads.ts'
import { SERVICE_SETTINGS } from './service.ts'
import { goalsOfSetAside, renderSetAside, type SetAsideReport } from './set-aside.ts'
import { type SettlementReport, shareWhileSettling } from './settlement.ts'
import type { Storage } from './storage.ts'
import { goalsOfStreams, renderStreams, type StreamsReport } from './streams.ts'
import { goalsOfTwoNodes, renderTwoNodes, type TwoNodesReport } from './two-nodes.ts'
import type { Usage } from './usage.ts'
import type { Finding } from './verify.ts'
import { goalsOfVouchers, renderVouchers, type VouchersReport } from './vouchers.ts'
import type { WebhooksReport } from './webhooks.ts'
import { goalsOfWebhooks } from './webhooks-goals.ts'
import { renderWebhooks } from './webhooks-report.ts'
import { LONG_HISTORY, SHORT_HISTORY, type WindowsReport } from './windows.ts'
import { renderWorkers, type WorkersReport } from './workers.ts'

/** The results of a run. */
export interface Results {
  readonly options: Options
  readonly command: string
  readonly finishedAt: Date
  readonly machine: readonly [string, string][]
  readonly setUp: string
  readonly tpcb: string
  readonly measurements: Measurements
  /** How much the measured payments added to the tables on disk. */
  readonly growth: Storage
  readonly memory: { readonly service: number; readonly postgres: number } | null
  /** null: not measured. */
  readonly reads: ReadsReport | null
  readonly twoNodes: TwoNodesReport | null
  readonly workers: WorkersReport | null
  /** null: not measured. */
  readonly windows: WindowsReport | null
  /** null: not measured. */
  readonly settlement: SettlementReport | null
  /** null: not measured. */
  readonly audit: AuditReport | null
  /** null: not measured. */
  readonly webhooks: WebhooksReport | null
  /** null: not measured. */
  readonly payPerCall: PayPerCallReport | null
  readonly setAside: SetAsideReport | null
  /** null: not measured. */
  readonly misbehaving: MisbehavingReport | null
  /** null: not measured. */
  readonly streams: StreamsReport | null
  /** null: not measured. */
  readonly vouchers: VouchersReport | null
  readonly packageSize: PackageReport
  readonly findings: readonly Finding[]
}

/** The report as Markdown that is readable in a terminal too. */
export function renderReport(results: Results): string {
  const sections = [
    `# Performance\n\n${introduction(results)}`,
    `## Goals\n\n${goals(results)}`,
    `## Payments a second\n\n${throughput(results)}`,
    `## Where the CPU time goes\n\n${cpuTime(results)}`,
    `## Disk and memory\n\n${space(results)}`,
    ...(results.twoNodes === null ? [] : [`## Two nodes\n\n${renderTwoNodes(results.twoNodes)}`]),
    ...(results.workers === null ? [] : [`## Worker processes\n\n${renderWorkers(results.workers)}`]),
    ...(results.reads === null ? [] : [`## Reads\n\n${renderReads(results.reads)}`]),
    ...(results.windows === null ? [] : [`## Limits over a long history\n\n${windows(results.windows)}`]),
    ...(results.settlement === null ? [] : [`## Settlement\n\n${settlement(results.settlement)}`]),
    ...(results.setAside === null ? [] : [`## Money set aside\n\n${renderSetAside(results.setAside)}`]),
    ...(results.audit === null ? [] : [`## The audit log\n\n${audit(results.audit)}`]),
    ...(results.payPerCall === null ? [] : [`## Pay-per-call\n\n${renderPayPerCall(results.payPerCall)}`]),
    ...(results.vouchers === null ? [] : [`## Vouchers\n\n${renderVouchers(results.vouchers)}`]),
    `## The sdk\n\n${renderPackage(results.packageSize)}`,
    ...(results.misbehaving === null
      ? []
      : [`## Misbehaving platforms\n\n${renderMisbehaving(results.misbehaving)}`]),
    ...(results.streams === null ? [] : [`## Open streams\n\n${renderStreams(results.streams)}`]),
    ...(results.webhooks === null ? [] : [`## Webhooks\n\n${renderWebhooks(results.webhooks)}`]),
    `## Checks after the load\n\n${truth(results)}`,
    `## Measured on\n\n${facts([...results.machine, ['When', results.finishedAt.toISOString()], ['Command', `\`${results.command}\``]])}`,
  ]
  return `${sections.join('\n\n')}\n`
}

function introduction({ options, setUp, tpcb }: Results): string {
  const settings = Object.entries(SERVICE_SETTINGS).map(([name, value]) => `${name}=${value}`)
  const limits = Object.entries(LIMITS).map(([name, value]) => `${name} ${figure(value)}`)
  return [
    'Written by `npm run bench`; do not edit.',
    '',
    `The service runs as users start it, with its own PostgreSQL and every commit on disk. Only these settings differ: ${settings.join(', ')}. Everything is set up through the public interface: ${setUp}. Each agent starts with ${figure(OPENING_BALANCE_INR)} INR. Most of them have limits against which every payment is checked (${limits.join(', ')} INR), in addition to those of their tier. The two groups that are compared are a fifth as large: one has no limits of its own, the other has all ten controls and a list of ${NEAR} allowed payees. Every payment has a receipt and, except in pay-per-call, its own idempotency key.`,
    '',
    `A load generator in a separate process keeps one payment in progress on each connection, over HTTP/1.1 on the same machine. TPC-B is pgbench (${tpcb}) on the same PostgreSQL server, in a separate database. The measurements alternate: ${options.rounds} × ${options.seconds} s for each, every second round in the opposite order. Figures are medians of the rounds, ratios are medians of each round's ratio.`,
  ].join('\n')
}

function goals(results: Results): string {
  const {
    measurements,
    reads,
    twoNodes,
    payPerCall,
    setAside,
    misbehaving,
    streams,
    vouchers,
    packageSize,
    webhooks,
  } = results
  return table(
    ['Goal', 'measured', 'wanted', 'verdict'],
    [
      ...goalsOfPayments(measurements),
      ...goalsOfReads(reads),
      ...goalsOfTwoNodes(twoNodes),
      ...goalsOfSetAside(setAside),
      ...goalsOfPayPerCall(payPerCall),
      ...goalsOfVouchers(vouchers),
      ...goalsOfPackage(packageSize),
      ...goalsOfMisbehaving(misbehaving),
      ...goalsOfStreams(streams),
      ...goalsOfWebhooks(webhooks),
    ].map(goal => [goal.name, goal.measured, goal.wanted, goal.verdict]),
  )
}

function throughput({ measurements }: Results): string {
  const rows = [...measurements.loads].map(([name, rounds]) => loadRow(name, rounds))
  if (measurements.tpcb.length > 0) rows.push(tpcbRow(measurements.tpcb))
  const alone = median(measurements.tpcbAloneMs)
  if (!Number.isNaN(alone))
    rows.push(['pgbench TPC-B, one client (average latency)', figure(1000 / alone), '', figure(alone, 2)])
  return table(
    ['', 'per second', 'lowest–highest', 'p50 ms', 'p95 ms', 'p99 ms', 'per commit', 'commit ms', 'not 200'],
    rows,
  )
}

function loadRow(name: LoadName, rounds: readonly LoadMeasurement[]): string[] {
  const refused = rounds.flatMap(round => Object.values(round.refused)).reduce((sum, count) => sum + count, 0)
  return [
    LOADS[name].title,
    ...spread(rounds.map(perSecond)),
    of(rounds, round => round.p50Ms, 2),
    of(rounds, round => round.p95Ms, 2),
    of(rounds, round => round.p99Ms, 2),
    of(rounds, round => round.commandsPerCommit, 1),
    of(rounds, round => round.secondsPerCommit * 1000, 1),
    figure(refused),
  ]
}

function tpcbRow(rounds: readonly TpcbMeasurement[]): string[] {
  return [
    'pgbench TPC-B (average latency)',
    ...spread(rounds.map(round => round.perSecond)),
    of(rounds, round => round.averageMs, 2),
  ]
}

function spread(rates: readonly number[]): [string, string] {
  return [figure(median(rates)), `${figure(Math.min(...rates))}–${figure(Math.max(...rates))}`]
}

function of<Round>(rounds: readonly Round[], read: (round: Round) => number, places = 0): string {
  return figure(median(rounds.map(read)), places)
}

/** The processor time of one measurement. */
interface CpuRound {
  readonly usage: Usage | null
  /** Of the load generator, or of pgbench. */
  readonly cpuSeconds: number
  readonly seconds: number
  readonly count: number
}

/** If other processes used more than this, in cores, absolute figures mean little. */
const NOISE_CORES = 0.2

function cpuTime({ measurements }: Results): string {
  const loads = [...measurements.loads].map(([name, rounds]) => ({
    title: LOADS[name].title as string,
    rounds: rounds.map(round => ({ ...round, count: round.counted }) satisfies CpuRound),
  }))
  const tpcb = {
    title: 'pgbench TPC-B',
    rounds: measurements.tpcb.map(round => ({ ...round, count: round.transactions }) satisfies CpuRound),
  }
  const rows = [...loads, ...(tpcb.rounds.length > 0 ? [tpcb] : [])]
  const head = ['', 'service µs', 'PostgreSQL µs', 'load µs', 'service', 'PostgreSQL', 'load', 'others']
  const body = table(
    head,
    rows.map(({ title, rounds }) => cpuRow(title, rounds)),
  )
  const noise = noiseOf(rows.flatMap(({ rounds }) => rounds.map(othersCores)))
  return `CPU time of each payment in µs, then the number of busy cores.${noise}\n\n${body}`
}

function cpuRow(title: string, rounds: readonly CpuRound[]): string[] {
  const readings: ((round: CpuRound) => number)[] = [
    round => round.usage?.service ?? Number.NaN,
    round => round.usage?.postgres ?? Number.NaN,
    round => round.cpuSeconds,
  ]
  return [
    title,
    ...readings.map(read => of(rounds, round => (read(round) * 1e6) / round.count)),
    ...readings.map(read => of(rounds, round => read(round) / round.seconds, 2)),
    of(rounds, othersCores, 2),
  ]
}

/** The use of the processors by other processes, and by other machines of the host. */
function othersCores({ usage, cpuSeconds, seconds }: CpuRound): number {
  if (usage === null) return Number.NaN
  return (usage.machine + usage.stolen - usage.service - usage.postgres - cpuSeconds) / seconds
}

function noiseOf(others: readonly number[]): string {
  const disturbed = others.filter(cores => cores > NOISE_CORES)
  if (disturbed.length === 0) return ''
  const most = figure(Math.max(...disturbed), 1)
  return ` **Other processes were running**: in ${disturbed.length} of ${others.length} measurements they used up to ${most} cores.`
}

function space({ measurements, growth, memory }: Results): string {
  const perPayment = (bytes: number) => `${figure(bytes / measurements.paid)} bytes a payment`
  const rounds = [...measurements.loads.values()].flat()
  const rows: [string, string][] = [
    ['Tables', perPayment(growth.accounts + growth.transfers)],
    ['of which rows of transfers', perPayment(growth.transfers - growth.transferIndexes)],
    ['of which indexes of transfers', perPayment(growth.transferIndexes)],
    ['Write-ahead log', `${of(rounds, round => round.logBytesPerPayment)} bytes a payment`],
    ['Payments written', figure(measurements.paid)],
  ]
  if (memory !== null) {
    rows.push(
      ['Memory of the service at the end', mebibytes(memory.service)],
      ['Memory of PostgreSQL at the end, shared pages counted once', mebibytes(memory.postgres)],
    )
  }
  return table(['', 'measured'], rows)
}

function windows({ rows, firstCountMs }: WindowsReport): string {
  const head = [
    'A payment of a payer',
    `${figure(SHORT_HISTORY)} past payments`,
    figure(LONG_HISTORY),
    'ratio',
  ]
  const body = rows.map(({ what, shortUs, longUs }) => [
    what,
    `${figure(shortUs)} µs`,
    `${figure(longUs)} µs`,
    figure(longUs / shortUs, 2),
  ])
  return [
    'Two payers pay alternately, one payment at a time and without HTTP. Their past payments are within the last 24 hours, and each continues at the rate of its past, so that for both one payment leaves the window with each new one. Medians.',
    table(head, body),
    `When a limit on counterparties first needs exact counts, the payments of the payer's day are read once: ${figure(firstCountMs)} ms for the long history.`,
  ].join('\n\n')
}

function settlement(report: SettlementReport): string {
  const head = ['Phase', 'seconds', 'done', 'per second', 'payments a second', 'p99 ms', 'memory']
  const body = report.phases.map(({ what, seconds, done, paymentsPerSecond, p99Ms, memory }) => [
    what,
    figure(seconds, 1),
    done === 0 ? '–' : figure(done),
    done === 0 ? '–' : figure(done / seconds),
    figure(paymentsPerSecond),
    figure(p99Ms, 1),
    mebibytes(memory),
  ])
  return [
    `${figure(report.wallets)} wallets are due at once and ${figure(report.paidOut)} are paid out, on one node without HTTP, while ${figure(report.payers)} agents continue to pay each other on ${figure(report.connections)} connections. The payout provider is the sandbox's, on the same database. Memory is that of the process, which includes the load generator.`,
    table(head, body),
    `During the run, payments have ${figure(shareWhileSettling(report), 2)} of their usual rate.`,
  ].join('\n\n')
}

function audit({ leaves, bytesPerLeaf, integrations, readings }: AuditReport): string {
  const integrated = integrations.map(({ what, leaves, seconds, cpuSeconds }) => [
    what,
    figure(leaves),
    figure(leaves / seconds),
    figure((cpuSeconds * 1e6) / leaves, 1),
  ])
  const read = readings.map(({ what, p50Ms, p99Ms }) => [what, figure(p50Ms, 2), figure(p99Ms, 2)])
  return [
    `On one node without HTTP, with ${figure(leaves)} leaves in the tree, which takes ${figure(bytesPerLeaf)} bytes of disk a leaf. An entry must verify within ${figure(VERIFY_MS)} ms.`,
    table(['Among all leaves', 'p50 ms', 'p99 ms'], read),
    'Waiting leaves are appended to the tree and signed, a bounded number at a time. CPU time is that of the process.',
    table(['Waiting leaves, from', 'leaves', 'per second', 'µs of CPU a leaf'], integrated),
  ].join('\n\n')
}

function truth({ findings }: Results): string {
  const rows = findings.map(finding => [finding.guarantee, finding.found, finding.holds ? 'yes' : 'NO'])
  return table(['Guarantee', 'found', 'holds'], rows)
}
