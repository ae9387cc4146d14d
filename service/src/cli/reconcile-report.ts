import {
  differenceRecord,
  type OpenDifference,
  type ReconciliationReport,
  type Span,
  TOTAL_NAMES,
  type TotalName,
} from '../domains/checks/index.ts'
import { rupees, rupeesText } from '../kernel/money.ts'

/** The output format of a reconciliation: before the differences, for each of them, and after them. */
export interface ReportFormat {
  head(report: ReconciliationReport): string
  difference(difference: OpenDifference, isFirst: boolean): string
  foot(report: ReconciliationReport): string
}

const TOTAL_TITLES: Record<TotalName, string> = {
  fundings: 'fundings credited',
  refunds: 'refunds made',
  chargebacks: 'chargebacks',
  payouts: 'payouts completed',
  payments: 'payments in its records',
  charges: 'fees taken, its charges',
  settlements: 'settlements',
  foreign: 'not ours',
}
/** Shown where the ledger has no amount. */
const THEIRS_ONLY: readonly TotalName[] = ['settlements', 'foreign']

export const TEXT: ReportFormat = {
  head({ totals, ...span }) {
    const rows = TOTAL_NAMES.map(name => {
      const { count, oursPaise, theirsPaise } = totals[name]
      const ours = THEIRS_ONLY.includes(name) ? '-' : rupeesText(oursPaise)
      return row(TOTAL_TITLES[name], String(count), ours, rupeesText(theirsPaise))
    })
    const title = `The ledger and the gateway, ${spanText(span)}`
    return [title, '', row('', 'count', 'ledger', 'gateway'), ...rows, '', ''].join('\n')
  },
  difference(difference) {
    const { kind, subject, agent_id, ours, theirs, amount, found_at } = differenceRecord(difference)
    const about = [kind, subject, agent_id ?? '-', `ledger: ${ours ?? '-'}`, `gateway: ${theirs ?? '-'}`]
    return `${about.join('  ')}  INR ${amount.toFixed(2)}  since ${found_at}\n`
  },
  foot({ differences, unchecked, totals }) {
    if (differences + unchecked === 0) return isEven(totals) ? 'No differences.\n' : NO_DIFFERENCES
    const asked = unchecked === 0 ? '' : `, ${unchecked} could not be asked about`
    return `\n${differences} ${differences === 1 ? 'difference' : 'differences'}${asked}.\n`
  },
}

/** Explains amounts that differ without being a difference. */
const NO_DIFFERENCES = `No differences. Where the columns are not equal, money is still on its way and is asked about again;
the gateway's charges are its own and are shown beside the fees taken here.
`

function isEven(totals: ReconciliationReport['totals']): boolean {
  return TOTAL_NAMES.every(name => {
    const { oursPaise, theirsPaise } = totals[name]
    return THEIRS_ONLY.includes(name) || oursPaise === theirsPaise
  })
}

export const JSON_TEXT: ReportFormat = {
  head({ from, to, totals }) {
    const sums = TOTAL_NAMES.map(name => {
      const { count, oursPaise, theirsPaise } = totals[name]
      const ledger = THEIRS_ONLY.includes(name) ? null : rupees(oursPaise)
      return [name, { count, ledger, gateway: rupees(theirsPaise) }] as const
    })
    const head = JSON.stringify({ from, to, totals: Object.fromEntries(sums) })
    return `${head.slice(0, -1)},"differences":[`
  },
  difference: (difference, isFirst) =>
    `${isFirst ? '' : ','}\n${JSON.stringify(differenceRecord(difference))}`,
  foot: ({ differences, unchecked }) =>
    `],\n"difference_count":${differences},"unchecked_count":${unchecked}}\n`,
}

function row(title: string, count: string, ours: string, theirs: string): string {
  return `${title.padEnd(24)}${count.padStart(8)}${ours.padStart(18)}${theirs.padStart(18)}`
}

const IST = new Intl.DateTimeFormat('sv-SE', {
  timeZone: 'Asia/Kolkata',
  dateStyle: 'short',
  timeStyle: 'short',
})

function spanText({ from, to }: Span): string {
  return `${IST.format(from)} to ${IST.format(to)} IST`
}
