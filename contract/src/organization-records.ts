import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idSchema } from './ids.ts'
import { nullable, oneOf, response } from './schema.ts'

/** The maximum number of agents of an organization, by its tier (interface section 8). */
export const MAX_AGENTS = { tier1: 5, tier2: 20, tier3: 100 } as const

export type OrganizationTier = keyof typeof MAX_AGENTS

export const ORGANIZATION_TIERS = ['tier1', 'tier2', 'tier3'] as const

/** `frozen` while its owner is frozen. */
export const ORGANIZATION_STATUSES = ['active', 'frozen'] as const

export const MEMBER_ROLES = ['treasury', 'admin', 'worker'] as const

export type MemberRole = (typeof MEMBER_ROLES)[number]

const organizationProperties = {
  id: idSchema('org'),
  name: textOut('Its name.', 'Research Lab'),
  owner_id: idSchema('own', 'The owner of its agents.'),
  tier: oneOf(ORGANIZATION_TIERS, 'Its size class.'),
  max_agents: Type.Integer({ description: 'The maximum number of members.', examples: [5] }),
  status: oneOf(ORGANIZATION_STATUSES, '`frozen` while its owner is frozen.'),
  treasury_agent_id: nullable(
    idSchema('agt', 'The member from whose wallet money is allocated; null until one is named.'),
  ),
  created_at: timestamp('When it was created.'),
}

const organizationExample = {
  id: exampleId('org'),
  name: 'Research Lab',
  owner_id: exampleId('own'),
  tier: 'tier1',
  max_agents: 5,
  status: 'active',
  treasury_agent_id: null,
  created_at: EXAMPLE_TIME,
}

/** An organization: agents of one owner with a treasury and budgets (interface section 2, contract section 8). */
export const Organization = response(organizationProperties, {
  title: 'Organization',
  description: 'Agents of one owner with a common treasury.',
  examples: [organizationExample],
})
export type Organization = Static<typeof Organization>

const memberProperties = {
  agent_id: idSchema('agt'),
  agent_name: textOut('The agent’s name.', 'Translation Agent'),
  role: oneOf(MEMBER_ROLES, 'The member’s role. There is at most one treasury.'),
  budget_limit: nullable(
    amountOut('The most that it may spend in a calendar month in IST, INR; null: no budget.'),
  ),
  pending_budget: nullable(
    response(
      {
        value: nullable(amountOut('The new budget, INR; null: no budget.')),
        effective_at: timestamp('When it takes effect.'),
      },
      { description: 'A raised budget that waits for the cooldown; null if none waits.' },
    ),
  ),
}

const memberExample = {
  agent_id: exampleId('agt', 2),
  agent_name: 'Translation Agent',
  role: 'worker',
  budget_limit: 400,
  pending_budget: null,
}

/** A member of an organization (interface section 2). Amounts in INR. */
export const Member = response(
  { org_id: idSchema('org'), ...memberProperties, joined_at: timestamp('When it became a member.') },
  {
    title: 'Member',
    description: 'A member of an organization.',
    examples: [{ org_id: exampleId('org'), ...memberExample, joined_at: EXAMPLE_TIME }],
  },
)
export type Member = Static<typeof Member>

/** The budgets of an organization's members for this IST calendar month (contract section 8). Amounts in INR. */
export const Budget = response(
  {
    org_id: idSchema('org'),
    members: Type.Array(
      response(
        {
          ...memberProperties,
          available: amountOut('The balance that it can spend now, INR.'),
          spent_this_month: amountOut(
            'What it has spent in this calendar month in IST, without fees, including before it joined, INR.',
          ),
          remaining: nullable(
            amountOut('What is left of its budget, INR, never below 0; null without a budget.'),
          ),
        },
        { description: 'One member.' },
      ),
      { description: 'All members, the treasury first.' },
    ),
  },
  {
    title: 'Budget',
    description: 'The members’ budgets for this month.',
    examples: [
      {
        org_id: exampleId('org'),
        members: [{ ...memberExample, available: 973, spent_this_month: 0, remaining: 400 }],
      },
    ],
  },
)
export type Budget = Static<typeof Budget>
