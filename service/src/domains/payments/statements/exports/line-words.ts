import type { StatementLine } from '@batua/contract'
import { unreachable } from '../../../../kernel/assert.ts'
import { amountText } from './pdf-text.ts'

/** What a line is, in words for the reader of a PDF. */
export function lineTitle(line: StatementLine): string {
  const who = line.counterparty_name ?? 'another agent'
  const isBack = line.reverses !== null
  switch (line.type) {
    case 'pay_out':
      if (isBack) return `Hold returned${line.counterparty_name === null ? '' : ` (for ${who})`}`
      if (line.escrow_id === undefined) return `Paid to ${who}`
      return line.counterparty_name === null ? 'Held in escrow' : `Held in escrow for ${who}`
    case 'pay_in':
      return line.escrow_id === undefined ? `Received from ${who}` : `Released by ${who}`
    case 'fund':
      return isBack ? 'Funding taken back by the bank' : 'Money added'
    case 'withdraw':
      return isBack ? 'Withdrawal returned' : 'Withdrawal to the bank'
    case 'settlement':
      return isBack ? 'Settlement returned' : 'Settlement to the bank'
    case 'fee':
      return 'Fee'
    default:
      return unreachable(line.type)
  }
}

/** What else a reader may look for, in the order in which it matters. */
export function lineDetails(line: StatementLine): string[] {
  const details = [line.reference, line.note].filter(text => text !== null)
  if (line.utr !== undefined) details.push(`UTR ${line.utr}`)
  if (line.fee > 0) details.push(feeOf(line))
  if (line.reverses === null && line.status !== 'completed') details.push(STATUS[line.status])
  return details
}

function feeOf({ type, amount, fee }: StatementLine): string {
  const part = type === 'fund' ? 'less fee' : 'plus fee'
  return `${amountText(amount)} ${part} ${amountText(fee)}`
}

const STATUS = { pending: 'pending', failed: 'failed later', reversed: 'taken back later' } as const
