import { payoutIdOf, transferIdOf } from '../../../domains/banking/payouts/payout.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { BankRecords, BankTransfer } from './bank-records.ts'
import type { OurPayout, OurRecords } from './our-records.ts'

/** Every payout reached its bank once and in full, or its money was returned; and no bank got anything else. */
export function checkPayouts(bank: BankRecords, ours: OurRecords): string[] {
  const known = new Set<Uuid>(ours.payouts.map(({ id }) => id))
  const strange = [...bank.transfers.keys()].filter(name => !known.has(payoutIdOf(name) ?? ''))
  return [
    ...strange.map(name => `${name}: sent, but never made here`),
    ...ours.payouts.flatMap(payout => {
      const transferId = transferIdOf(payout)
      return checkPayout(payout, bank.transfers.get(transferId)).map(wrong => `${transferId}: ${wrong}`)
    }),
  ]
}

function checkPayout(payout: OurPayout, transfer: BankTransfer | undefined): string[] {
  const atBank = transfer?.status ?? 'unknown'
  const amount =
    transfer === undefined || transfer.amountPaise === payout.amountPaise
      ? []
      : [`${transfer.amountPaise} instead of ${payout.amountPaise}`]
  return isRight(payout, transfer) ? amount : [...amount, `${payout.status}, at the bank ${atBank}`]
}

function isRight({ status, utr }: OurPayout, transfer: BankTransfer | undefined): boolean {
  switch (status) {
    case 'pending':
      return false
    case 'completed':
      return transfer?.status === 'success' && utr !== null && utr === transfer.utr
    case 'failed':
      return transfer === undefined || transfer.status === 'failed' || transfer.status === 'reversed'
    case 'reversed':
      return transfer?.status === 'reversed' && utr !== null
  }
}
