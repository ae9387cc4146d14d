import { arrayLiteral, textArrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import type { PageRequest } from '../../http/paging.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Source, TransferKind } from '../../ledger/index.ts'

/** A transfer as the payment routes read it back. */
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

const KEY_SEPARATOR = '\n'
const UUID_LENGTH = 36

/** The key of a fact about a payer and a text of its own. A uuid has a fixed length, so any text may follow. */
export function payerKey(payer: Uuid, text: string): string {
  return payer + KEY_SEPARATOR + text
}

function payersOf(keys: readonly string[]): Uuid[] {
  return keys.map(key => key.slice(0, UUID_LENGTH))
}

function textsOf(keys: readonly string[]): string[] {
  return keys.map(key => key.slice(UUID_LENGTH + 1))
}

/** What an idempotency key of a payer was used for. */
export interface KeyUse {
  readonly id: Uuid
  readonly kind: TransferKind
}

/** Exact, because whoever posts for a payer holds its lock. */
export const usedKeys: Source<KeyUse> = {
  name: 'idempotency keys',
  async load(tx: Queryable, keys: readonly string[]) {
    const rows = await tx.query<{ payer: Uuid; key: string } & KeyUse>(
      `select t.debit_account as payer, t.idempotency_key as key, t.id, t.kind
       from unnest($1::uuid[], $2::text[]) k(payer, key)
       join transfers t on t.debit_account = k.payer and t.idempotency_key = k.key`,
      [arrayLiteral(payersOf(keys)), textArrayLiteral(textsOf(keys))],
    )
    return new Map(rows.map(row => [payerKey(row.payer, row.key), { id: row.id, kind: row.kind }]))
  },
}

/** The first payment from a payer to a payee with a reference; the key is `referenceKey`. */
export const usedReferences: Source<Uuid> = {
  name: 'references',
  async load(tx: Queryable, keys: readonly string[]) {
    const rows = await tx.query<{ position: number; id: Uuid | null }>(
      `select k.position::int4 as position,
         (select t.id from transfers t where t.debit_account = k.payer and t.reference = k.reference
            and t.credit_account = k.payee and t.kind = 'payment' order by t.id limit 1) as id
       from unnest($1::uuid[], $2::uuid[], $3::text[]) with ordinality k(payer, payee, reference, position)`,
      [
        arrayLiteral(payersOf(keys)),
        arrayLiteral(payersOf(textsOf(keys))),
        textArrayLiteral(textsOf(textsOf(keys))),
      ],
    )
    const used = new Map<string, Uuid>()
    for (const { position, id } of rows) if (id !== null) used.set(keys[position - 1] ?? '', id)
    return used
  },
}

export function referenceKey(payer: Uuid, payee: Uuid, reference: string): string {
  return payerKey(payer, payerKey(payee, reference))
}

/** A payment and what was refunded of it so far. The payee's lock is held, so no other refund is under way. */
export interface Refundable {
  readonly payment: PaymentRow
  refundedPaise: Paise
}

const COLUMNS = `t.id, t.debit_account, t.credit_account, t.amount_paise, t.fee_paise, t.debit_balance_paise,
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

export const refundables: Source<Refundable> = {
  name: 'refundable payments',
  async load(tx: Queryable, ids: readonly string[]) {
    const rows = await tx.query<Row & { refunded: bigint }>(
      `select ${COLUMNS},
         (select coalesce(sum(r.amount_paise), 0)::int8 from transfers r
           where r.linked_id = t.id and r.kind = 'refund') as refunded
       from transfers t where t.id = any($1::uuid[]) and t.kind = 'payment'`,
      [arrayLiteral(ids)],
    )
    return new Map(
      rows.map(row => [row.id, { payment: paymentFromRow(row), refundedPaise: row.refunded as Paise }]),
    )
  },
}

export async function findPayment(db: Queryable, id: Uuid): Promise<PaymentRow | null> {
  const rows = await db.query<Row>(
    `select ${COLUMNS} from transfers t where t.id = $1 and t.kind = 'payment'`,
    [id],
  )
  const [row] = rows
  return row === undefined ? null : paymentFromRow(row)
}

export async function findPaymentOf(db: Queryable, payer: Uuid, id: Uuid): Promise<PaymentRow | null> {
  const rows = await db.query<Row>(
    `select ${COLUMNS} from transfers t where t.debit_account = $1 and t.id = $2 and t.kind = 'payment'`,
    [payer, id],
  )
  const [row] = rows
  return row === undefined ? null : paymentFromRow(row)
}

export interface PaymentFilter {
  readonly payer: Uuid
  readonly idempotencyKey: string | null
  readonly reference: string | null
}

/** Each filter has a statement of its own, so that each finds its index. */
function matching({ payer, idempotencyKey, reference }: PaymentFilter): { where: string; values: unknown[] } {
  const values: unknown[] = [payer]
  let where = `t.debit_account = $1 and t.kind = 'payment'`
  if (idempotencyKey !== null) where += ` and t.idempotency_key = $${values.push(idempotencyKey)}`
  if (reference !== null) where += ` and t.reference = $${values.push(reference)}`
  return { where, values }
}

export async function selectPayments(
  db: Queryable,
  filter: PaymentFilter,
  page: PageRequest,
): Promise<PaymentRow[]> {
  const { where, values } = matching(filter)
  const before = page.before === null ? '' : `and t.id < $${values.push(page.before)}`
  const rows = await db.query<Row>(
    `select ${COLUMNS} from transfers t where ${where} ${before}
     order by t.id desc limit $${values.push(page.fetch)} offset $${values.push(page.offset)}`,
    values,
  )
  return rows.map(paymentFromRow)
}

export async function countPayments(db: Queryable, filter: PaymentFilter): Promise<number> {
  const { where, values } = matching(filter)
  const rows = await db.query<{ total: number }>(
    `select count(*)::int4 as total from transfers t where ${where}`,
    values,
  )
  return rows[0]?.total ?? 0
}
