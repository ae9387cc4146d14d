import type { KeptCheckpoint, LostEntry } from '../domains/audit/index.ts'
import { type Finding, MOST_FINDINGS } from '../operations/scan.ts'
import type { Lost, ReceivedFile } from './received.ts'

/** What a restored database has, and what it lost. */
export interface RestoredReport {
  readonly lastChange: Date | null
  readonly entries: { readonly appended: number; readonly waiting: number }
  readonly ledger: readonly Finding[]
  readonly log: readonly Finding[]
  readonly checkpoints: readonly (KeptCheckpoint & { readonly path: string })[]
  readonly received: readonly (ReceivedFile & { readonly path: string })[]
  /** The entries that only the later copy has; null: none was named. */
  readonly later: readonly LostEntry[] | null
}

/** Whether all checks passed and nothing is missing. */
export function isWhole({ ledger, log, checkpoints, received, later }: RestoredReport): boolean {
  const faults = ledger.length + log.length
  const lost = received.reduce((sum, file) => sum + file.lost.length, later?.length ?? 0)
  return faults + lost === 0 && checkpoints.every(({ kind }) => kind === 'continued')
}

export function jsonOf({
  lastChange,
  entries,
  ledger,
  log,
  checkpoints,
  received,
  later,
}: RestoredReport): string {
  const report = {
    last_change: lastChange?.toISOString() ?? null,
    log_entries: entries.appended,
    log_entries_waiting: entries.waiting,
    ledger_findings: ledger,
    log_findings: log,
    checkpoints,
    received,
    later_entries: later?.map(({ content }) => content) ?? null,
  }
  return `${JSON.stringify(report)}\n`
}

export function textOf(report: RestoredReport): string {
  const { lastChange, entries, ledger, log, checkpoints, received, later } = report
  const waiting = entries.waiting === 0 ? '' : `, and ${entries.waiting} wait to be appended`
  const lines = [
    `last change: ${lastChange?.toISOString() ?? 'none'}`,
    `audit log: ${entries.appended} entries${waiting}`,
    `ledger check: ${resultOf(ledger)}`,
    ...ledger.map(findingText),
    `log check: ${resultOf(log)}`,
    ...log.map(findingText),
    ...checkpoints.map(kept => `${kept.path}: ${checkpointText(kept, entries)}`),
    ...received.flatMap(receivedLines),
    ...(later === null ? [] : laterLines(later)),
  ]
  return `${lines.join('\n')}\n`
}

function resultOf(findings: readonly Finding[]): string {
  if (findings.length === 0) return 'passed'
  const { length } = findings
  return length < MOST_FINDINGS
    ? `FAILED, ${length} findings`
    : `FAILED, and ended after ${length} findings: there may be more`
}

function findingText({ subject, kind, detail }: Finding): string {
  return `  ${subject}  ${kind}  ${detail}`
}

function checkpointText(kept: KeptCheckpoint, { appended, waiting }: RestoredReport['entries']): string {
  switch (kept.kind) {
    case 'continued':
      return `the log still begins with its ${kept.size} entries`
    case 'rolled_back':
      return kept.missing === 0
        ? `it covers ${kept.size} entries, of which the last ${kept.size - appended} wait to be appended again`
        : `THE LOG WAS ROLLED BACK: it covers ${kept.size} entries, this database has ${appended + waiting}, and ${kept.missing} are missing`
    case 'another_log':
      return `ANOTHER LOG: the first ${kept.size} entries are not those that it covers`
    case 'not_signed':
      return 'NOT A CHECKPOINT of this service: no key that is not revoked has signed it'
  }
}

function receivedLines({ path, lines, lost }: RestoredReport['received'][number]): string[] {
  const head = `${path}: ${lines} lines, ${lost.length} name what this database does not have`
  return [lost.length === 0 ? head : `${head}; ask again:`, ...lost.map(lostText)]
}

function lostText({ missing, at, from, to, amount, reference }: Lost): string {
  return row([
    at,
    missing.join(' '),
    from,
    to,
    amount === null ? null : `INR ${amount.toFixed(2)}`,
    reference,
  ])
}

function laterLines(later: readonly LostEntry[]): string[] {
  const head = `later database: ${later.length} entries that this database does not have`
  return [later.length === 0 ? head : `${head}; inform those concerned:`, ...later.map(entryText)]
}

function entryText({ id, content }: LostEntry): string {
  if (content === null) return row([id, 'was altered after it was written'])
  const { created_at, action, target, agent_id, data } = content
  return row([created_at, action, target, agent_id, JSON.stringify(data)])
}

function row(cells: readonly (string | null)[]): string {
  return `  ${cells.map(cell => cell ?? '-').join('  ')}`
}
