import { FIRST_AGENTS, type ResponseOf, type routes } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { type Paise, rupees } from '../../../kernel/money.ts'

type FirstPayment = ResponseOf<typeof routes.getFirstSteps>['first_payment']

interface Row {
  readonly id: Uuid
  readonly payer: Uuid
  readonly payerName: string
  readonly payee: Uuid
  readonly payeeName: string
  readonly payeeHandle: string
  readonly amountPaise: Paise
  readonly reference: string | null
  readonly note: string | null
  readonly postedAt: Date
}

/** The first agents of a platform; $1 is the platform. */
const FIRST = `select id from agents where platform_id = $1 order by id limit ${FIRST_AGENTS}`

/** The earliest payment of a platform’s first agents: the beginning of an index range of each. */
export async function selectFirstPayment(db: Queryable, platformId: Uuid): Promise<FirstPayment> {
  const [row] = await db.query<Row>(
    `select t.id, g.id as payer, g.name as "payerName", p.id as payee, p.name as "payeeName",
       p.handle as "payeeHandle", t.amount_paise as "amountPaise", t.reference, t.note, t.posted_at as "postedAt"
     from (${FIRST}) first
     cross join lateral (
       select m.id, m.debit_account, m.credit_account, m.amount_paise, m.reference, m.note, m.posted_at
       from transfers m where m.debit_account = first.id and m.kind = 'payment' order by m.id limit 1
     ) t
     join agents g on g.id = t.debit_account join agents p on p.id = t.credit_account
     order by t.id limit 1`,
    [platformId],
  )
  if (row === undefined) return null
  return {
    payment_id: formatId('pay', row.id),
    from: formatId('agt', row.payer),
    from_name: row.payerName,
    to: formatId('agt', row.payee),
    to_name: row.payeeName,
    to_handle: row.payeeHandle,
    amount: rupees(row.amountPaise),
    reference: row.reference,
    note: row.note,
    created_at: row.postedAt.toISOString(),
  }
}

/** Whether money was added to a wallet of a platform’s first agents. */
export async function isAnyFunded(db: Queryable, platformId: Uuid): Promise<boolean> {
  const rows = await db.query(
    `select first.id from (${FIRST}) first
     where exists (select 1 from transfers t where t.credit_account = first.id and t.kind = 'fund') limit 1`,
    [platformId],
  )
  return rows.length > 0
}
