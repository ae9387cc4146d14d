import type { Queryable } from '../../../db/database.ts'
import { LAST_UUID, momentOf, type Uuid } from '../../../kernel/ids.ts'
import { type Fold, readFoldedBefore, SYSTEM, type TransferKind } from '../../../ledger/index.ts'

/** Stands for all wallets together where sums name an account. */
export const WALLETS: Uuid = '00000000-0000-0000-0000-000000000000'

/** What the transfers of one kind between two accounts came to, in paise. */
export interface Sum {
  readonly kind: TransferKind
  readonly debit: Uuid
  readonly credit: Uuid
  readonly amount: bigint
  readonly fee: bigint
}

const SYSTEM_IDS = Object.values(SYSTEM)
  .map(id => `'${id}'`)
  .join(', ')
const ownOrWallets = (account: string) =>
  `case when ${account} in (${SYSTEM_IDS}) then ${account} else '${WALLETS}' end`

/**
 * $1 and $2 are ids, $3 and $4 their moments. Payments and holds, which are many, get their ids when they are posted. Of
 * the others some continue a thing with an older id, a funding say, so for them the moment counts; an index of their own
 * has it.
 */
const SUM_RANGE = `
  select kind, ${ownOrWallets('debit_account')} as debit_account, ${ownOrWallets('credit_account')} as credit_account,
    count(*) as count, sum(amount_paise)::int8 as amount_paise, sum(fee_paise)::int8 as fee_paise
  from (
    select kind, debit_account, credit_account, amount_paise, fee_paise from transfers
    where id >= $1 and id < $2 and kind in ('payment', 'escrow_hold')
    union all
    select kind, debit_account, credit_account, amount_paise, fee_paise from transfers
    where posted_at >= $3 and posted_at < $4 and coalesce(kind not in ('payment', 'escrow_hold'), false)
  ) t group by 1, 2, 3`

function rangeOf(from: Uuid, before: Uuid): unknown[] {
  return [from, before, momentOf(from), before === LAST_UUID ? 'infinity' : momentOf(before)]
}

const ADD_RANGE = `
  insert into book_sums as s (kind, debit_account, credit_account, count, amount_paise, fee_paise) ${SUM_RANGE}
  on conflict (kind, debit_account, credit_account) do update set count = s.count + excluded.count,
    amount_paise = s.amount_paise + excluded.amount_paise, fee_paise = s.fee_paise + excluded.fee_paise`

export const BOOK_SUMS: Fold = {
  name: 'book sums',
  async add(tx, from, before) {
    await tx.query(ADD_RANGE, rangeOf(from, before))
  },
}

const COLUMNS = `kind, debit_account as debit, credit_account as credit, amount_paise as amount, fee_paise as fee`

/** Every sum as of this snapshot: what is folded, and what is behind the cursor. */
export async function selectSums(tx: Queryable): Promise<Sum[]> {
  const folded = await tx.query<Sum>(`select ${COLUMNS} from book_sums`, [])
  const before = await readFoldedBefore(tx, BOOK_SUMS.name)
  const rest = await tx.query<Sum>(`select ${COLUMNS} from (${SUM_RANGE}) r`, rangeOf(before, LAST_UUID))
  return [...folded, ...rest]
}

/** What was debited from a system account by what is folded, and up to which moment that is. */
export async function selectFoldedDebits(
  tx: Queryable,
  account: Uuid,
): Promise<{ untilMs: number; debited: bigint }> {
  const [row] = await tx.query<{ debited: bigint }>(
    `select coalesce(sum(amount_paise + fee_paise), 0)::int8 as debited from book_sums where debit_account = $1`,
    [account],
  )
  const until = momentOf(await readFoldedBefore(tx, BOOK_SUMS.name))
  return { untilMs: until.getTime(), debited: row?.debited ?? 0n }
}

/** Whether more than so many transfers wait to be folded, so that summing them would take long. */
export async function isFarBehind(tx: Queryable, transfers: number): Promise<boolean> {
  const before = await readFoldedBefore(tx, BOOK_SUMS.name)
  const [row] = await tx.query(`select id from transfers where id >= $1 order by id offset $2 limit 1`, [
    before,
    transfers,
  ])
  return row !== undefined
}

export async function sumWallets(tx: Queryable): Promise<bigint> {
  const [row] = await tx.query<{ sum: bigint }>(
    `select coalesce(sum(balance_paise), 0)::int8 as sum from accounts`,
    [],
  )
  return row?.sum ?? 0n
}
