import type { MemberRole } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type MacRow, macColumns, requireGenuine } from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Paise } from '../../../kernel/money.ts'
import { readerById } from '../../../ledger/index.ts'
import { pagedRows } from '../../../operations/due-work.ts'
import { AGENT_ROWS } from '../../limits/index.ts'
import type { BudgetState } from './budget.ts'

/** The organization of an agent, and its role there. */
export interface Membership {
  readonly agentId: Uuid
  readonly orgId: Uuid
  readonly role: MemberRole
}

/** A member with its name and budget. */
export interface Member extends Membership, BudgetState {
  readonly agentName: string
  readonly joinedAt: Date
}

/** Memberships by agent, for decisions in the ledger: they cannot change while the agents' accounts are locked. */
export const memberships = readerById<Membership>('memberships', async (tx, agentIds, _nowMs, vault) => {
  const rows = await tx.query<Membership & MacRow>(
    `select m.agent_id as "agentId", m.org_id as "orgId", m.role, ${macColumns(AGENT_ROWS, 'a')}
       from org_members m join agents a on a.id = m.agent_id where m.agent_id = any($1::uuid[])`,
    [arrayLiteral(agentIds)],
  )
  for (const row of rows) requireGenuine(vault, AGENT_ROWS, row.agentId, row)
  return rows.map(({ agentId, orgId, role }) => [agentId, { agentId, orgId, role }])
})

/** All members of an organization, the treasury first, then in the order of joining. */
export async function selectMembers(db: Queryable, orgId: Uuid): Promise<Member[]> {
  const rows = await db.query<Omit<Member, keyof BudgetState> & BudgetColumns>(
    `select m.agent_id as "agentId", m.org_id as "orgId", m.role, a.name as "agentName", ${BUDGET_COLUMNS},
       m.joined_at as "joinedAt"
     from org_members m join agents a on a.id = m.agent_id
     where m.org_id = $1 order by m.role = 'treasury' desc, m.joined_at, m.agent_id`,
    [orgId],
  )
  return rows.map(({ budget, pending, effectiveAt, ...member }) => ({
    ...member,
    ...budgetFromColumns({ budget, pending, effectiveAt }),
  }))
}

interface BudgetColumns {
  readonly budget: Paise | null
  readonly pending: Paise | null
  readonly effectiveAt: Date | null
}

const BUDGET_COLUMNS = `a.budget_limit_paise as budget, a.pending_budget_paise as pending,
  a.pending_budget_effective_at as "effectiveAt"`

function budgetFromColumns({ budget, pending, effectiveAt }: BudgetColumns): BudgetState {
  return {
    budgetPaise: budget,
    pendingBudget: effectiveAt === null ? null : { budgetPaise: pending, effectiveAt },
  }
}

/** An agent's budget and organization, whether or not it is a member. The caller holds the lock of its account. */
export interface AgentBudget extends BudgetState {
  readonly orgId: Uuid | null
  readonly isFrozen: boolean
}

export async function selectBudget(db: Queryable, agentId: Uuid): Promise<AgentBudget | null> {
  const [row] = await db.query<BudgetColumns & Pick<AgentBudget, 'orgId' | 'isFrozen'>>(
    `select ${BUDGET_COLUMNS}, m.org_id as "orgId", o.status = 'frozen' as "isFrozen"
     from agents a join owners o on o.id = a.owner_id left join org_members m on m.agent_id = a.id
     where a.id = $1`,
    [agentId],
  )
  return row === undefined ? null : { ...budgetFromColumns(row), orgId: row.orgId, isFrozen: row.isFrozen }
}

/** Agents with due raises. Raises wait while the owner is frozen. */
export const dueBudgets = pagedRows<{ readonly id: Uuid }>(
  100,
  `select a.id, a.pending_budget_effective_at::text as "dueAt" from agents a join owners o on o.id = a.owner_id
   where a.pending_budget_effective_at <= $1 and o.status = 'active'
     and (a.pending_budget_effective_at, a.id) > ($2, $3)
   order by a.pending_budget_effective_at, a.id limit $4`,
)

/** The organization of an agent; null: none. */
export async function selectOrganizationOf(db: Queryable, agentId: Uuid): Promise<Uuid | null> {
  const [row] = await db.query<{ orgId: Uuid }>(
    `select org_id as "orgId" from org_members where agent_id = $1`,
    [agentId],
  )
  return row?.orgId ?? null
}

/** Inserts a member with its budget. The caller holds the locks of the organization and of the agent's account. */
export async function insertMember(tx: Queryable, member: Member): Promise<void> {
  await tx.query(`insert into org_members (agent_id, org_id, role, joined_at) values ($1, $2, $3, $4)`, [
    member.agentId,
    member.orgId,
    member.role,
    member.joinedAt,
  ])
  await updateBudget(tx, member.agentId, member)
}

/** Writes a member's role and budget. The caller holds the locks of the organization and of the agent's account. */
export async function updateMember(
  tx: Queryable,
  member: Pick<Member, 'agentId' | 'role' | keyof BudgetState>,
): Promise<void> {
  await tx.query(`update org_members set role = $2 where agent_id = $1`, [member.agentId, member.role])
  await updateBudget(tx, member.agentId, member)
}

/** Writes an agent's budget. The caller holds the lock of its account. */
export async function updateBudget(
  tx: Queryable,
  agentId: Uuid,
  { budgetPaise, pendingBudget }: BudgetState,
): Promise<void> {
  await tx.query(
    `update agents set budget_limit_paise = $2, pending_budget_paise = $3, pending_budget_effective_at = $4
     where id = $1`,
    [agentId, budgetPaise, pendingBudget?.budgetPaise ?? null, pendingBudget?.effectiveAt ?? null],
  )
}

/** Removes an agent from its organization. Its budget stays until it is changed. */
export async function deleteMember(tx: Queryable, agentId: Uuid): Promise<void> {
  await tx.query(`delete from org_members where agent_id = $1`, [agentId])
}

/**
 * Removes deactivated agents from their organizations, with their budgets. The caller holds the locks of their
 * accounts.
 */
export async function endMemberships(tx: Queryable, agentIds: readonly Uuid[]): Promise<Membership[]> {
  const ended = await tx.query<Membership>(
    `delete from org_members where agent_id = any($1::uuid[])
     returning agent_id as "agentId", org_id as "orgId", role`,
    [arrayLiteral(agentIds)],
  )
  await tx.query(
    `update agents set budget_limit_paise = null, pending_budget_paise = null, pending_budget_effective_at = null
     where id = any($1::uuid[]) and (budget_limit_paise is not null or pending_budget_effective_at is not null)`,
    [arrayLiteral(agentIds)],
  )
  return ended
}
