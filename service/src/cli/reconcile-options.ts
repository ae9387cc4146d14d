import { parseArgs } from 'node:util'
import { isDate } from '@batua/contract'
import { type Span, upTo } from '../domains/checks/index.ts'
import { DAY_MS, startOfIstDay } from '../kernel/clock.ts'

export interface ReconcileOptions {
  readonly span: (now: Date) => Span
  readonly json: boolean
  readonly help: boolean
}

export const USAGE = `Compares the ledger with the gateway's orders, payouts and settlements, and lists every difference.

  npm run reconcile -- [--from 2026-11-01] [--to 2026-11-07] [--json]

  --from, --to  calendar days in IST, both included; absent: the last 7 days
  --json        prints JSON

Exits with 0 if there is no difference, 1 if there is, 2 if the gateway could not be asked about something or the command failed.
`

const DEFAULT_DAYS = 7

/** Reads the command line; throws an error that names the wrong option. */
export function readOptions(args: readonly string[]): ReconcileOptions {
  const { values } = parseArgs({
    args: [...args],
    options: {
      from: { type: 'string' },
      to: { type: 'string' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', default: false },
    },
  })
  const from = values.from === undefined ? null : dayOf('--from', values.from)
  const to = values.to === undefined ? null : dayOf('--to', values.to)
  if (from !== null && to !== null && from > to) throw new Error('--from is after --to')
  return { span: now => spanOf(from, to, now), json: values.json, help: values.help }
}

function spanOf(from: number | null, to: number | null, now: Date): Span {
  const end = to === null ? upTo(now) : startOfIstDay(to + 1)
  const begin = from === null ? new Date(end.getTime() - DEFAULT_DAYS * DAY_MS) : startOfIstDay(from)
  if (begin >= end) throw new Error('--from is in the future')
  return { from: begin, to: end }
}

function dayOf(option: string, text: string): number {
  if (!isDate(text)) throw new Error(`${option} must be a date, such as 2026-11-01`)
  return Date.parse(`${text}T00:00:00Z`) / DAY_MS
}
