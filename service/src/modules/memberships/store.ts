import type { MemberRole } from '@batua/contract'
import { arrayLiteral } from '../../db/array-literal.ts'
import type { Queryable } from '../../db/database.ts'
import { type MacRow, macColumns, requireGenuine } from '../../db/row-mac.ts'
import type { Uuid } from '../../kernel/ids.ts'
import type { Paise } from '../../kernel/money.ts'
import type { Source } from '../../ledger/index.ts'
import { AGENT_ROWS } from '../policies/index.ts'

/** Which organization an agent is in, and as what. */
export interface Membership {
  readonly agentId: Uuid
  readonly orgId: Uuid
  readonly role: MemberRole
}

/** A member as it is shown. */
export interface Member extends Membership {
  readonly agentName: string
  /** What it may spend in an IST calendar month; null: no budget of its own. */
  readonly budgetPaise: Paise | null
  readonly joinedAt: Date
}

/** Memberships by their agents, for decisions in the posting engine: true as long as the agents' accounts are locked. */
export const memberships: Source<Membership> = {
  name: 'memberships',
  async load(tx, agentIds, _nowMs, vault) {
    const rows = await tx.query<Membership & MacRow>(
      `select m.agent_id as "agentId", m.org_id as "orgId", m.role, ${macColumns(AGENT_ROWS, 'a')}
       from org_members m join agents a on a.id = m.agent_id where m.agent_id = any($1::uuid[])`,
      [arrayLiteral(agentIds)],
    )
    for (const row of rows) requireGenuine(vault, AGENT_ROWS, row.agentId, row)
    return new Map(rows.map(({ agentId, orgId, role }) => [agentId, { agentId, orgId, role }]))
  },
}

/** All members of an organization, the treasury first, then as they joined. */
export async function selectMembers(db: Queryable, orgId: Uuid): Promise<Member[]> {
  return db.query<Member>(
    `select m.agent_id as "agentId", m.org_id as "orgId", m.role, a.name as "agentName",
       a.budget_limit_paise as "budgetPaise", m.joined_at as "joinedAt"
     from org_members m join agents a on a.id = m.agent_id
     where m.org_id = $1 order by m.role = 'treasury' desc, m.joined_at, m.agent_id`,
    [orgId],
  )
}

/** The organization that an agent is in; null: none. */
export async function selectOrganizationOf(db: Queryable, agentId: Uuid): Promise<Uuid | null> {
  const [row] = await db.query<{ orgId: Uuid }>(
    `select org_id as "orgId" from org_members where agent_id = $1`,
    [agentId],
  )
  return row?.orgId ?? null
}

/** Makes an agent a member, with its budget. The organization and the agent's account must be locked. */
export async function insertMember(tx: Queryable, member: Member): Promise<void> {
  await tx.query(`insert into org_members (agent_id, org_id, role, joined_at) values ($1, $2, $3, $4)`, [
    member.agentId,
    member.orgId,
    member.role,
    member.joinedAt,
  ])
  await setBudget(tx, member)
}

/** Writes a member's role and budget. The organization and the agent's account must be locked. */
export async function updateMember(
  tx: Queryable,
  member: Pick<Member, 'agentId' | 'role' | 'budgetPaise'>,
): Promise<void> {
  await tx.query(`update org_members set role = $2 where agent_id = $1`, [member.agentId, member.role])
  await setBudget(tx, member)
}

async function setBudget(
  tx: Queryable,
  { agentId, budgetPaise }: Pick<Member, 'agentId' | 'budgetPaise'>,
): Promise<void> {
  await tx.query(`update agents set budget_limit_paise = $2 where id = $1`, [agentId, budgetPaise])
}

/** Takes agents out of their organizations, budgets included, under the locks of their accounts. */
export async function endMemberships(tx: Queryable, agentIds: readonly Uuid[]): Promise<Membership[]> {
  const ended = await tx.query<Membership>(
    `delete from org_members where agent_id = any($1::uuid[])
     returning agent_id as "agentId", org_id as "orgId", role`,
    [arrayLiteral(agentIds)],
  )
  await tx.query(
    `update agents set budget_limit_paise = null where id = any($1::uuid[]) and budget_limit_paise is not null`,
    [arrayLiteral(agentIds)],
  )
  return ended
}
