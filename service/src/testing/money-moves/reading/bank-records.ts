import type { Queryable } from '../../../db/database.ts'
import type { PayoutBehaviour } from '../../../domains/sandbox/providers/bank-accounts.ts'
import { payoutAt } from '../../../domains/sandbox/providers/payout-state.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { paise } from '../../../kernel/money.ts'

/** The money that came in by one payment, and its state at the gateway. */
export interface BankPayment {
  readonly id: Uuid
  readonly orderId: string
  readonly amountPaise: bigint
  readonly currency: string
  readonly method: string
  readonly paidAt: Date
  readonly chargedBack: boolean
  readonly refundedPaise: bigint
}

/** Money sent to a bank account under one id, or an attempt to. */
export interface BankTransfer {
  readonly transferId: string
  readonly amountPaise: bigint
  readonly status: 'pending' | 'success' | 'failed' | 'reversed'
  readonly utr: string | null
}

/** The simulated banks' own records, read without the service's tables. */
export interface BankRecords {
  readonly payments: readonly BankPayment[]
  readonly transfers: ReadonlyMap<string, BankTransfer>
}

export async function readBankRecords(db: Queryable, now: Date): Promise<BankRecords> {
  const payments = await db.query<BankPayment>(
    `select p.id, p.order_id as "orderId", p.amount_paise as "amountPaise", p.currency, p.method,
       p.paid_at as "paidAt", p.charged_back as "chargedBack", coalesce(r.sum, 0)::int8 as "refundedPaise"
     from sandbox_payments p
     left join (select payment_id, sum(amount_paise) as sum from sandbox_refunds
                where done_at <= $1 group by payment_id) r on r.payment_id = p.id
     where p.status = 'success' order by p.id`,
    [now],
  )
  return { payments, transfers: await readTransfers(db, now) }
}

interface TransferRow {
  readonly transferId: string
  readonly providerPayoutId: string
  readonly amountPaise: bigint
  readonly behaviour: PayoutBehaviour
  readonly acceptedAt: Date
  readonly asked: number
}

async function readTransfers(db: Queryable, now: Date): Promise<Map<string, BankTransfer>> {
  const rows = await db.query<TransferRow>(
    `select transfer_id as "transferId", provider_payout_id as "providerPayoutId", amount_paise as "amountPaise",
       behaviour, accepted_at as "acceptedAt", asked
     from sandbox_payouts where accepted_at is not null`,
    [],
  )
  const transfers = rows.map(row => payoutAt({ ...row, amountPaise: paise(row.amountPaise) }, now))
  return new Map(transfers.map(transfer => [transfer.transferId, transfer]))
}
