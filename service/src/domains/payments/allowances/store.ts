import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { PageRequest } from '../../../http/paging.ts'
import { LAST_UUID, type Uuid } from '../../../kernel/ids.ts'
import { readerById } from '../../../ledger/index.ts'
import { entity } from '../../../operations/entity.ts'
import type { Allowance, AllowanceKey } from './allowance.ts'

/** Allowances, written only under the lock of the agent's account. */
export const allowances = entity<Allowance, 'agentId' | 'id'>({
  table: 'allowances',
  key: ['agentId', 'id'],
  columns: {
    agentId: 'agent_id uuid',
    id: 'id uuid',
    payeeId: 'payee uuid',
    amountPaise: 'amount_paise int8',
    approvalId: 'approval_id uuid',
    createdAt: 'created_at timestamptz',
    until: 'until_at timestamptz',
    usedPaise: 'used_paise int8',
    uses: 'uses int4',
    isEnded: 'is_ended boolean',
  },
  changes: ['until', 'usedPaise', 'uses', 'isEnded'],
  uncovered: {},
  recorded: {
    posted: 'null::text[]',
    prefix: 'alw',
    logged: ['allowance.used', 'allowance.ended'],
    // An older row would allow again what was paid under it, or what the owner has ended.
    agrees: ({ uses, isEnded }, _posted, logged) =>
      uses === (logged ?? []).filter(action => action === 'allowance.used').length &&
      isEnded === (logged ?? []).includes('allowance.ended'),
  },
})

/** An allowance that holds: which row to read, and for whom. */
export interface OpenAllowance extends AllowanceKey {
  readonly payeeId: Uuid
}

/** The allowances of an agent that hold, the one that ends first first. Exact: giving and ending lock the account. */
export const openAllowances = readerById<readonly OpenAllowance[]>(
  'open allowances',
  async (tx: Queryable, agentIds, nowMs) => {
    const rows = await tx.query<OpenAllowance>(
      `select agent_id as "agentId", id, payee as "payeeId" from allowances
       where agent_id = any($1::uuid[]) and not is_ended and until_at > $2 order by until_at, id`,
      [arrayLiteral(agentIds), new Date(nowMs)],
    )
    return agentIds.map(agentId => [agentId, rows.filter(row => row.agentId === agentId)])
  },
)

/** An allowance and the owner of its agent. */
export interface AllowanceView extends Allowance {
  readonly ownerId: Uuid
}

export async function selectAllowance(db: Queryable, id: Uuid): Promise<AllowanceView | null> {
  const [row] = await db.query<AllowanceView>(
    `select ${allowances.selected}, g.owner_id as "ownerId" from allowances r join agents g on g.id = r.agent_id
     where r.id = $1`,
    [id],
  )
  return row ?? null
}

export interface AllowanceFilter {
  readonly agentIds: readonly Uuid[]
  readonly now: Date
}

export async function selectAllowances(
  db: Queryable,
  { agentIds, now }: AllowanceFilter,
  { before, offset, fetch }: PageRequest,
): Promise<{ readonly rows: readonly Allowance[]; readonly total: number }> {
  const open = `r.agent_id = any($1::uuid[]) and not r.is_ended and r.until_at > $2`
  const [rows, [counted]] = await Promise.all([
    db.query<Allowance>(
      `select ${allowances.selected} from allowances r where ${open} and r.id < $3 order by r.id desc offset $4 limit $5`,
      [arrayLiteral(agentIds), now, before ?? LAST_UUID, offset, fetch],
    ),
    db.query<{ total: number }>(`select count(*)::int4 as total from allowances r where ${open}`, [
      arrayLiteral(agentIds),
      now,
    ]),
  ])
  return { rows, total: counted?.total ?? 0 }
}
