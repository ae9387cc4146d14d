import type { Database } from '../db/database.ts'
import type { Clock } from '../kernel/clock.ts'
import type { Uuid } from '../kernel/ids.ts'
import { paise } from '../kernel/money.ts'
import { type Ledger, openLedger, type Posting, SYSTEM, type Transfer } from '../ledger/index.ts'
import { paymentFee } from '../modules/payments/index.ts'
import { TEST_VAULT } from './network.ts'

/** A posting engine with the vault of `networkContext`. Close it before the database. */
export function openTestLedger(database: Database, clock: Clock): Ledger {
  return openLedger({ database, clock, vault: TEST_VAULT, onError: console.error })
}

/** Puts a transfer into the book that nobody decided on: for tests of what reads the book. */
export function post(ledger: Ledger, posting: Posting, wallets: readonly Uuid[]): Promise<Transfer> {
  return ledger.submit({ accounts: wallets, needs: [], decide: book => book.post(posting) })
}

/** Puts money into a wallet without a payment session. */
export function fillWallet(ledger: Ledger, agentId: Uuid, amountPaise: bigint): Promise<Transfer> {
  const posting: Posting = {
    kind: 'fund',
    debit: SYSTEM.gateway,
    credit: agentId,
    amountPaise: paise(amountPaise),
  }
  return post(ledger, posting, [agentId])
}

/** A payment with its fee, as the pay route posts it when nothing forbids it. */
export function postPayment(
  ledger: Ledger,
  payer: Uuid,
  payee: Uuid,
  amountPaise: bigint,
  texts: Pick<Posting, 'reference' | 'note' | 'idempotencyKey'> = {},
): Promise<Transfer> {
  const amount = paise(amountPaise)
  const sides = { debit: payer, credit: payee }
  const posting: Posting = {
    kind: 'payment',
    ...sides,
    amountPaise: amount,
    feePaise: paymentFee(amount),
    ...texts,
  }
  return post(ledger, posting, [payer, payee])
}

/** Gives back a part of a payment, as the refund route posts it. */
export function postRefund(ledger: Ledger, payment: Transfer, amountPaise: bigint): Promise<Transfer> {
  const { id, debitAccount: payer, creditAccount: payee, reference } = payment
  const sides = { debit: payee, credit: payer }
  const posting: Posting = {
    kind: 'refund',
    ...sides,
    amountPaise: paise(amountPaise),
    linkedId: id,
    reference,
  }
  return post(ledger, posting, [payer, payee])
}
