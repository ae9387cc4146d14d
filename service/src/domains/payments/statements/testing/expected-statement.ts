import type { listTransactions, QueryOf, Transaction } from '@batua/contract'
import type { Uuid } from '../../../../kernel/ids.ts'
import type { ExpectedLine } from './wallet-history.ts'

export type StatementQuery = QueryOf<typeof listTransactions> & { readonly reference?: string }

/** The whole list for a query, newest first by its ids: it checks every line, without an index or shortcut. */
export function expectedStatement(
  lines: readonly ExpectedLine[],
  wallets: readonly Uuid[],
  { type, status, from_date: from, to_date: to, reference }: StatementQuery,
): Transaction[] {
  return lines
    .filter(line => wallets.includes(line.wallet))
    .filter(({ record }) => type === undefined || record.type === type)
    .filter(
      ({ record }) =>
        reference === undefined ||
        (record.reference === reference.normalize() && record.type === 'pay_out' && isPaymentOrHold(record)),
    )
    .filter(({ record }) => status === undefined || record.status === status)
    .filter(({ at }) => from === undefined || timeIn(at, from) >= from)
    .filter(({ at }) => to === undefined || timeIn(at, to) <= to)
    .toSorted(
      (left, right) => right.at.getTime() - left.at.getTime() || compare(right.record.id, left.record.id),
    )
    .map(({ record }) => record)
}

const INDIAN_DATE = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Asia/Kolkata', dateStyle: 'short' })

/** A moment in the form of the text it is compared with: as a date in India, or as a timestamp. */
function timeIn(moment: Date, text: string): string {
  return text.length === '2026-11-20'.length ? INDIAN_DATE.format(moment) : moment.toISOString()
}

function compare(left: string, right: string): number {
  return left < right ? -1 : Number(left > right)
}

/** A refund has the payment that it refunds, and the reference of that payment. */
function isPaymentOrHold({ escrow_id, payment_id, id }: Transaction): boolean {
  return escrow_id !== undefined || payment_id?.slice('pay'.length) === id.slice('txn'.length)
}
