import type { Database } from '../../db/database.ts'
import { paymentFee } from '../../domains/payments/fee.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { paise } from '../../kernel/money.ts'
import { type Ledger, openLedger, type Posting, type Transfer } from '../../ledger/index.ts'
import { post } from '../builders.ts'
import { TEST_VAULT } from '../network.ts'

/** A posting engine with the vault of `networkContext`. Close it before the database. */
export function openTestLedger(database: Database, clock: Clock): Ledger {
  return openLedger({ database, clock, vault: TEST_VAULT, onError: console.error })
}

/** Posts a payment with its fee, as the pay route does, without checks. */
export function postPayment(
  ledger: Ledger,
  payer: Uuid,
  payee: Uuid,
  amount: bigint,
  texts: Pick<Posting, 'reference' | 'note' | 'idempotencyKey'> = {},
): Promise<Transfer> {
  const amountPaise = paise(amount)
  const amounts = { amountPaise, feePaise: paymentFee(amountPaise) }
  return post(ledger, [payer, payee], { kind: 'payment', debit: payer, credit: payee, ...amounts, ...texts })
}

/** Posts a partial refund of a payment, as the refund route does. */
export function postRefund(ledger: Ledger, payment: Transfer, amount: bigint): Promise<Transfer> {
  const { id: linkedId, debitAccount: payer, creditAccount: payee, reference } = payment
  const words = { amountPaise: paise(amount), linkedId, reference }
  return post(ledger, [payer, payee], { kind: 'refund', debit: payee, credit: payer, ...words })
}
