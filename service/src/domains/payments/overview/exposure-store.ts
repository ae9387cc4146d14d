import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import type { PayerRow } from '../../limits/index.ts'

/** A wallet with the money that is not in it but was taken, or asked for. */
export interface WalletRow extends PayerRow {
  readonly heldPaise: Paise
  readonly authorizedPaise: Paise
  readonly askedPaise: Paise
}

interface Row extends Omit<WalletRow, 'allowances'> {
  readonly allowances: readonly { readonly payee: Uuid; readonly left: string; readonly until: string }[]
}

/** The wallets of these agents at a moment, with the allowances that hold. */
export async function selectWallets(
  db: Queryable,
  agentIds: readonly Uuid[],
  now: Date,
): Promise<WalletRow[]> {
  const rows = await db.query<Row>(
    `select c.id, c.balance_paise as "balancePaise", c.ist_day as "istDay",
       c.ist_day_spent_paise as "istDaySpentPaise", c.ist_month_spent_paise as "istMonthSpentPaise",
       c.counted_through_ms as "countedThroughMs", c.counted_through_sequence as "countedThroughSequence",
       (select coalesce(sum(e.amount_paise), 0)::int8 from escrows e
        where e.agent_id = c.id and e.status = 'held') as "heldPaise",
       (select coalesce(sum(r.amount_paise - r.captured_paise), 0)::int8 from authorizations r
        where r.agent_id = c.id and r.status in ('open', 'closing')) as "authorizedPaise",
       (select coalesce(sum(p.amount_paise), 0)::int8 from approvals p
        where p.agent_id = c.id and p.status = 'pending_approval' and p.expires_at > $2) as "askedPaise",
       (select coalesce(jsonb_agg(jsonb_build_object('payee', w.payee,
            'left', (w.amount_paise - w.used_paise)::text, 'until', w.until_at) order by w.until_at, w.id), '[]')
        from allowances w where w.agent_id = c.id and not w.is_ended and w.until_at > $2) as allowances
     from accounts c where c.id = any($1::uuid[])`,
    [arrayLiteral(agentIds), now],
  )
  return rows.map(({ allowances, ...row }) => ({
    ...row,
    allowances: allowances.map(({ payee, left, until }) => ({
      ...{ payeeId: payee, leftPaise: BigInt(left), untilMs: Date.parse(until) },
    })),
  }))
}
