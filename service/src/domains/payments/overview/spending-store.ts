import type { Queryable } from '../../../db/database.ts'
import { LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'

/** What one payee received on one IST day. */
export interface SpentRow {
  readonly day: number
  readonly payee: Uuid | null
  readonly count: number
  readonly paise: Paise
}

/** Bounds what one statement reads, so that a long history holds no connection for long. */
const ROWS_AT_ONCE = 20_000

const IST_DAY = (moment: string) => `floor((extract(epoch from ${moment}) + 19800) / 86400)::int4`
const SUMS = 'count(*)::int4 as count, sum(amount_paise)::int8 as paise'

/** The rows of one agent from $2 on, before $3. Each is a range of a primary key. */
const SELECT = {
  payments: `select ${IST_DAY('posted_at')} as day, credit_account as payee, ${SUMS} from transfers
    where debit_account = $1 and id >= $2 and id < $3 and kind = 'payment' group by 1, 2`,
  holds: `select ${IST_DAY('created_at')} as day, coalesce(released_to, to_agent, attestor) as payee, ${SUMS}
    from escrows where agent_id = $1 and id >= $2 and id < $3 and status <> 'refunded' group by 1, 2`,
  authorizations: `select ${IST_DAY('created_at')} as day, payee, count(*)::int4 as count,
      sum(captured_paise)::int8 as paise
    from authorizations where agent_id = $1 and id >= $2 and id < $3 and captured_paise > 0 group by 1, 2`,
} as const

/** The id behind so many rows of an agent. */
const SELECT_PLACE = {
  payments: `select id from transfers where debit_account = $1 and id >= $2 order by id offset $3 limit 1`,
  holds: `select id from escrows where agent_id = $1 and id >= $2 order by id offset $3 limit 1`,
  authorizations: `select id from authorizations where agent_id = $1 and id >= $2 order by id offset $3 limit 1`,
} as const

export type SpentSource = keyof typeof SELECT

interface SpentRange {
  readonly agentId: Uuid
  readonly from: Uuid
}

/** What an agent spent from an id on. A day and payee may have several rows. */
export async function selectSpent(
  db: Queryable,
  source: SpentSource,
  { agentId, from: first }: SpentRange,
  rowsAtOnce = ROWS_AT_ONCE,
): Promise<SpentRow[]> {
  const rows: SpentRow[] = []
  let from: Uuid | undefined = first
  while (from !== undefined) {
    const [behind]: { id: Uuid }[] = await db.query(SELECT_PLACE[source], [agentId, from, rowsAtOnce])
    const until = behind?.id ?? LAST_UUID
    rows.push(...(await db.query<SpentRow>(SELECT[source], [agentId, from, until])))
    from = behind?.id
  }
  return rows
}
