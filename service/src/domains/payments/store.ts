import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { type KeyedRead, rowOf } from '../../db/gathered.ts'
import { AlteredRow } from '../../db/row-mac.ts'
import type { Uuid } from '../../kernel/ids.ts'
import { type Paise, ZERO_PAISE } from '../../kernel/money.ts'
import type { Vault } from '../../kernel/secrets.ts'
import {
  isGenuine,
  readerById,
  refundedOf,
  type StoredTransfer,
  transferColumns,
} from '../../ledger/index.ts'
import { policyVersionAt } from '../limits/index.ts'

/** A transfer as the payment routes read it. */
export interface PaymentRow {
  readonly id: Uuid
  readonly payer: Uuid
  readonly payee: Uuid
  readonly amountPaise: Paise
  readonly feePaise: Paise
  readonly payerBalancePaise: Paise
  readonly reference: string | null
  readonly idempotencyKey: string | null
  readonly postedAt: Date
}

/** A payment as a caller queries it, with the amount refunded so far. */
export interface LookedUpPayment extends PaymentRow {
  readonly refundedPaise: Paise
  /** The version of the policy that decided it; null if the history begins later. */
  readonly policyVersion: string | null
}

/** A payment and the amount refunded so far. The payee is locked, so no other refund is in progress. */
export interface Refundable {
  readonly payment: PaymentRow
  readonly refundedPaise: Paise
  /** null: nothing was refunded. */
  readonly lastRefundId: Uuid | null
}

/** A capture is a payment too: its payer is that of its authorization, whose balance it does not change. */
const PAYMENTS = `transfers t left join lateral (
    select h.debit_account, h.posted_at from transfers h where t.kind = 'capture' and h.id = t.linked_id limit 1
  ) authorized on true`
const PAYER = 'coalesce(authorized.debit_account, t.debit_account)'
const IS_PAYMENT = `t.kind in ('payment', 'capture')`

const COLUMNS = `t.id, ${PAYER} as debit_account, t.credit_account, t.amount_paise, t.fee_paise,
  coalesce(t.debit_balance_paise, (select w.balance_paise from accounts w where w.id = ${PAYER})) as debit_balance_paise,
  t.reference, t.idempotency_key, t.posted_at`

interface Row {
  id: Uuid
  debit_account: Uuid
  credit_account: Uuid
  amount_paise: bigint
  fee_paise: bigint
  debit_balance_paise: bigint
  reference: string | null
  idempotency_key: string | null
  posted_at: Date
}

function paymentFromRow(row: Row): PaymentRow {
  return {
    id: row.id,
    payer: row.debit_account,
    payee: row.credit_account,
    amountPaise: row.amount_paise as Paise,
    feePaise: row.fee_paise as Paise,
    payerBalancePaise: row.debit_balance_paise as Paise,
    reference: row.reference,
    idempotencyKey: row.idempotency_key,
    postedAt: row.posted_at,
  }
}

/** Payments whose MAC is valid: an edited one is not refunded. */
export const refundables = readerById<Refundable>('refundable payments', async (tx, ids, _nowMs, vault) => {
  const rows = await tx.query<StoredTransfer & Pick<Refundable, 'refundedPaise' | 'lastRefundId'>>(
    `select ${transferColumns('t')}, ${refundedOf('t.id')} as "refundedPaise",
       (select (array_agg(r.id order by r.id desc))[1] from transfers r
        where r.linked_id = t.id and r.kind = 'refund') as "lastRefundId"
     from transfers t where t.id = any($1::uuid[]) and ${IS_PAYMENT}`,
    [arrayLiteral(ids)],
  )
  const authorized = await readAuthorized(tx, vault, rows)
  return rows.map(({ refundedPaise, lastRefundId, ...transfer }) => {
    requireMac(vault, transfer)
    const payer = authorized.get(transfer.linkedId ?? '') ?? transfer.debitAccount
    const payment = { ...paymentFromTransfer(transfer), payer }
    return [transfer.id, { payment, refundedPaise, lastRefundId }]
  })
})

/** The payers of the authorizations that these captures belong to, proved. */
async function readAuthorized(
  tx: Queryable,
  vault: Vault,
  payments: readonly StoredTransfer[],
): Promise<ReadonlyMap<Uuid, Uuid>> {
  const ids = payments.flatMap(({ kind, linkedId }) =>
    kind === 'capture' && linkedId !== null ? [linkedId] : [],
  )
  if (ids.length === 0) return new Map()
  const rows = await tx.query<StoredTransfer>(
    `select ${transferColumns('t')} from transfers t where t.id = any($1::uuid[]) and t.kind = 'authorization'`,
    [arrayLiteral(ids)],
  )
  for (const row of rows) requireMac(vault, row)
  return new Map(rows.map(({ id, debitAccount }) => [id, debitAccount]))
}

function requireMac(vault: Vault, transfer: StoredTransfer): void {
  if (isGenuine(vault, transfer)) return
  const why = 'has no MAC that fits'
  vault.onAltered('transfers', transfer.id, why)
  throw new AlteredRow('transfers', transfer.id, why)
}

function paymentFromTransfer(transfer: StoredTransfer): PaymentRow {
  return {
    id: transfer.id,
    payer: transfer.debitAccount,
    payee: transfer.creditAccount,
    amountPaise: transfer.amountPaise,
    feePaise: transfer.feePaise,
    payerBalancePaise: transfer.debitBalancePaise ?? ZERO_PAISE,
    reference: transfer.reference,
    idempotencyKey: transfer.idempotencyKey,
    postedAt: transfer.postedAt,
  }
}

export async function findPayment(db: Queryable, id: Uuid): Promise<PaymentRow | null> {
  const rows = await db.query<Row>(`select ${COLUMNS} from ${PAYMENTS} where t.id = $1 and ${IS_PAYMENT}`, [
    id,
  ])
  const [row] = rows
  return row === undefined ? null : paymentFromRow(row)
}

const LOOKED_UP: KeyedRead<Row & { refunded: Paise; version: string | null }> = {
  text: `select ${COLUMNS}, ${refundedOf('t.id')} as refunded, ${policyVersionAt(PAYER, 'coalesce(authorized.posted_at, t.posted_at)')} as version
    from ${PAYMENTS} where t.id = any($1::uuid[]) and ${IS_PAYMENT}`,
  keyOf: ({ id }) => id,
}

/** A payment that this agent made. */
export async function findPaymentOf(db: Queryable, payer: Uuid, id: Uuid): Promise<LookedUpPayment | null> {
  const row = await rowOf(db, LOOKED_UP, id)
  if (row === null || row.debit_account !== payer) return null
  return { ...paymentFromRow(row), refundedPaise: row.refunded, policyVersion: row.version }
}
