import { Type } from 'typebox'
import { amountIn, amountOut, nameText } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { Budget, MEMBER_ROLES, Member, ORGANIZATION_TIERS, Organization } from './organization-records.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'
import { Transaction } from './transactions.ts'

const ofOrganization = request({ org_id: idParam('org') })
const ofMember = request({ org_id: idParam('org'), agent_id: idParam('agt') })

const budgetIn = nullable(
  Type.Number({
    minimum: 0,
    maximum: MAX_AMOUNT_INR,
    format: 'inr',
    description:
      'The most that the member may spend in a month, INR; 0: nothing; null: no budget. The treasury has none.',
    examples: [400],
  }),
)

export const createOrganization = route({
  operationId: 'createOrganization',
  method: 'POST',
  path: '/v1/orgs',
  tag: 'Organizations',
  summary: 'Create an organization',
  description:
    'A new organization has no members. While its owner is frozen, it is frozen too and cannot be changed (409).',
  who: ['owner'],
  body: request(
    {
      name: nameText('Its name.', 'Research Lab'),
      tier: oneOf(ORGANIZATION_TIERS, 'Its size class: 5, 20 or 100 agents.'),
      owner_id: Type.Optional(
        idSchema('own', 'The owner. Required if the session covers owners on several platforms.'),
      ),
    },
    {
      title: 'OrganizationRequest',
      description: 'A new organization.',
      examples: [{ name: 'Research Lab', tier: 'tier1' }],
    },
  ),
  status: 201,
  response: Organization,
  errors: ['not_found', 'conflict'],
})

export const listOrganizations = route({
  operationId: 'listOrganizations',
  method: 'GET',
  path: '/v1/orgs',
  tag: 'Organizations',
  summary: 'List organizations',
  description: 'The organizations of the session’s owners; for a platform, those of its owners.',
  who: ['owner', 'platform'],
  query: request({
    owner_id: Type.Optional(idSchema('own', 'Only organizations of this owner.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('organizations', Organization, {
    title: 'OrganizationList',
    description: 'A page of organizations.',
  }),
  errors: [],
})

export const getOrganization = route({
  operationId: 'getOrganization',
  method: 'GET',
  path: '/v1/orgs/{org_id}',
  tag: 'Organizations',
  summary: 'Get an organization',
  description: 'For the owner and the owner’s platform. For other callers it is `not_found`.',
  who: ['owner', 'platform'],
  params: ofOrganization,
  status: 200,
  response: Organization,
  errors: ['not_found'],
})

export const addMember = route({
  operationId: 'addMember',
  method: 'POST',
  path: '/v1/orgs/{org_id}/agents',
  tag: 'Organizations',
  summary: 'Add a member',
  description:
    'The agent must belong to the same owner (otherwise 403) and to no organization. 409 if the organization is full or already has a treasury. What the agent spent earlier in the month counts against its budget. An agent that left an organization less than a cooldown ago still has its earlier budget: a lower budget applies at once, a higher one or none waits in `pending_budget`.',
  who: ['owner'],
  params: ofOrganization,
  body: request(
    {
      agent_id: idSchema('agt'),
      role: oneOf(MEMBER_ROLES, 'Its role.'),
      budget_limit: Type.Optional(budgetIn),
    },
    {
      title: 'MemberRequest',
      description: 'A new member.',
      examples: [{ agent_id: exampleId('agt', 2), role: 'worker', budget_limit: 400 }],
    },
  ),
  status: 201,
  response: Member,
  errors: ['authorization_error', 'not_found', 'conflict'],
})

export const updateMember = route({
  operationId: 'updateMember',
  method: 'PATCH',
  path: '/v1/orgs/{org_id}/agents/{agent_id}',
  tag: 'Organizations',
  summary: 'Change a member’s role or budget',
  description:
    'A role and a lower budget apply from the agent’s next payment on. A higher budget, or none, waits for the cooldown in `pending_budget`; setting the budget in force again cancels it. While the owner is frozen, only lowering and cancelling work. If a budget is below what was spent, nothing is left. The treasury has no budget (400), and keeps its role until another member is named (409).',
  who: ['owner'],
  params: ofMember,
  body: request(
    {
      role: Type.Optional(oneOf(MEMBER_ROLES, 'Its role.')),
      budget_limit: Type.Optional(budgetIn),
    },
    { title: 'MemberChange', description: 'The changes.', examples: [{ budget_limit: 400 }] },
  ),
  status: 200,
  response: Member,
  errors: ['not_found', 'conflict'],
})

export const removeMember = route({
  operationId: 'removeMember',
  method: 'DELETE',
  path: '/v1/orgs/{org_id}/agents/{agent_id}',
  tag: 'Organizations',
  summary: 'Remove a member',
  description:
    'The member’s budget applies until the cooldown has passed, and then ends. The treasury cannot leave until another member is named (409).',
  who: ['owner'],
  params: ofMember,
  status: 200,
  response: Member,
  responseDescription: 'The member before its removal.',
  errors: ['not_found', 'conflict'],
})

export const nameTreasury = route({
  operationId: 'nameTreasury',
  method: 'POST',
  path: '/v1/orgs/{org_id}/treasury',
  tag: 'Organizations',
  summary: 'Name the treasury',
  description:
    'The member becomes the treasury and has no budget once the cooldown has passed. The previous treasury becomes a worker.',
  who: ['owner'],
  params: ofOrganization,
  body: request(
    { agent_id: idSchema('agt') },
    {
      title: 'TreasuryRequest',
      description: 'The new treasury.',
      examples: [{ agent_id: exampleId('agt') }],
    },
  ),
  status: 200,
  response: Organization,
  errors: ['not_found', 'conflict'],
})

export const allocate = route({
  operationId: 'allocate',
  method: 'POST',
  path: '/v1/orgs/{org_id}/allocate',
  tag: 'Organizations',
  summary: 'Allocate money to a member',
  description:
    'Moves money from the treasury’s wallet to the member’s, without a fee. The treasury’s state and limits apply; payee rules and thresholds do not. 409 without a treasury.',
  who: ['owner'],
  params: ofOrganization,
  body: request(
    { agent_id: idSchema('agt', 'The receiving member.'), amount: amountIn('The amount, INR.') },
    {
      title: 'AllocationRequest',
      description: 'The receiving member and the amount.',
      examples: [{ agent_id: exampleId('agt', 2), amount: 400 }],
    },
  ),
  status: 200,
  response: response(
    {
      org_id: idSchema('org'),
      agent_id: idSchema('agt', 'The receiving member.'),
      amount: amountOut('The amount, INR.'),
      transaction_id: idSchema('txn', 'The line of the treasury’s statement.'),
      treasury_balance: amountOut('The treasury’s balance afterwards, INR.'),
      agent_balance: amountOut('The member’s balance afterwards, INR.'),
    },
    {
      title: 'Allocation',
      description: 'The allocation.',
      examples: [
        {
          org_id: exampleId('org'),
          agent_id: exampleId('agt', 2),
          amount: 400,
          transaction_id: exampleId('txn'),
          treasury_balance: 600,
          agent_balance: 400,
        },
      ],
    },
  ),
  errors: [
    'insufficient_balance',
    'spend_limit_exceeded',
    'policy_denied',
    'not_found',
    'conflict',
    'idempotency_error',
  ],
})

export const listOrganizationTransactions = route({
  operationId: 'listOrganizationTransactions',
  method: 'GET',
  path: '/v1/orgs/{org_id}/transactions',
  tag: 'Organizations',
  summary: 'List an organization’s transactions',
  description: 'The transactions of all present members, newest first.',
  who: ['owner', 'platform'],
  params: ofOrganization,
  query: request(pageQuery),
  status: 200,
  response: listOf('transactions', Transaction, {
    title: 'OrganizationTransactions',
    description: 'A page of transactions.',
  }),
  errors: ['not_found'],
})

export const getBudget = route({
  operationId: 'getBudget',
  method: 'GET',
  path: '/v1/orgs/{org_id}/budget',
  tag: 'Organizations',
  summary: 'Get the budgets',
  description: 'All members with their budgets for this calendar month in IST, and what they have spent.',
  who: ['owner', 'platform'],
  params: ofOrganization,
  status: 200,
  response: Budget,
  errors: ['not_found'],
})
