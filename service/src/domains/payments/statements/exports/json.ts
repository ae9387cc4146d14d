import type { Statement, StatementLine, StatementTotals } from '@batua/contract'

/** What of a statement is known before its first line. */
export type StatementHead = Omit<Statement, 'lines' | 'totals' | 'checkpoint'>

/** A statement as JSON, in pieces. */
export function jsonHead(head: StatementHead): string {
  return `${JSON.stringify(head).slice(0, -1)},"lines":[`
}

export function jsonLines(lines: readonly StatementLine[], isFirst: boolean): string {
  const text = lines.map(line => JSON.stringify(line)).join(',')
  return isFirst ? text : `,${text}`
}

export function jsonEnd(totals: StatementTotals, checkpoint: string | null): string {
  return `],"totals":${JSON.stringify(totals)},"checkpoint":${JSON.stringify(checkpoint)}}`
}
