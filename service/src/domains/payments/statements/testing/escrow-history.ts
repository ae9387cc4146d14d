import { creditSideOf, formatId } from '../../../../kernel/ids.ts'
import { paise } from '../../../../kernel/money.ts'
import { SYSTEM, type Transfer } from '../../../../ledger/index.ts'
import { post } from '../../../../testing/builders.ts'
import {
  counterparty,
  type History,
  type HistoryAgent,
  inr,
  type KnownHold,
  type Words,
  writeLine,
} from './wallet-history.ts'

const NOBODY = { counterparty_type: null, counterparty_id: null, counterparty_name: null } as const

/** Holds money in escrow, for a recipient or for none yet: a pay_out that is pending. */
export async function holdMoney(
  history: History,
  payer: HistoryAgent,
  payee: HistoryAgent | null,
  amountPaise: bigint,
  words: Words,
): Promise<KnownHold> {
  const sides = { debit: payer.id, credit: SYSTEM.escrow }
  const meant = payee === null ? {} : { linkedId: payee.id }
  const hold = { kind: 'escrow_hold', amountPaise: paise(amountPaise), ...sides, ...meant, ...words } as const
  const transfer = await post(history.ledger, [payer.id], hold)
  const line = writeLine(history, payer, transfer.id, transfer.postedAt, {
    id: formatId('txn', transfer.id),
    type: 'pay_out',
    amount: inr(amountPaise),
    fee: 0,
    net_amount: inr(amountPaise),
    ...(payee === null ? NOBODY : counterparty(payee)),
    ...words,
    status: 'pending',
    escrow_id: formatId('esc', transfer.id),
  })
  const held = { transfer, payer, line }
  history.holds.push(held)
  return held
}

export async function releaseHold(history: History, hold: KnownHold, payee: HistoryAgent): Promise<Transfer> {
  const { id, amountPaise, reference, note } = hold.transfer
  const sides = { debit: SYSTEM.escrow, credit: payee.id, linkedId: id, spentBy: hold.payer.id }
  const released = { kind: 'escrow_release', amountPaise, ...sides } as const
  const transfer = await post(history.ledger, [hold.payer.id, payee.id], released)
  hold.line.record = { ...hold.line.record, ...counterparty(payee), status: 'completed' }
  writeLine(history, payee, transfer.id, transfer.postedAt, {
    id: formatId('txn', creditSideOf(transfer.id)),
    type: 'pay_in',
    amount: inr(amountPaise),
    fee: 0,
    net_amount: inr(amountPaise),
    ...counterparty(hold.payer),
    reference,
    note,
    status: 'completed',
    escrow_id: formatId('esc', id),
  })
  return transfer
}

export async function refundHold(history: History, hold: KnownHold): Promise<void> {
  const { id, amountPaise, postedAt } = hold.transfer
  const undoes = { postedMs: postedAt.getTime(), amountPaise, isWhole: true }
  const sides = { debit: SYSTEM.escrow, credit: hold.payer.id, linkedId: id, undoes }
  await post(history.ledger, [hold.payer.id], { kind: 'escrow_refund', amountPaise, ...sides })
  hold.line.record = { ...hold.line.record, status: 'reversed' }
}
