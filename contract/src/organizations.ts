import { Type } from 'typebox'
import { amountIn, amountOut, nameText } from './fields.ts'
import { MAX_AMOUNT_INR } from './formats.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { Budget, MEMBER_ROLES, Member, ORGANIZATION_TIERS, Organization } from './organization-records.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'
import { Transaction } from './transactions.ts'

const ofOrganization = request({ org_id: idParam('org') })
const ofMember = request({ org_id: idParam('org'), agent_id: idParam('agt') })

const budgetIn = nullable(
  Type.Number({
    minimum: 0,
    maximum: MAX_AMOUNT_INR,
    format: 'inr',
    description: 'At most this much a month, INR; 0: nothing at all; null: no budget. The treasury has none.',
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
    'It begins without members. While its owner is frozen, so is it, and nothing of it can be changed (409).',
  who: ['owner'],
  body: request(
    {
      name: nameText('Its name.', 'Research Lab'),
      tier: oneOf(ORGANIZATION_TIERS, 'Its size class: 5, 20 or 100 agents.'),
      owner_id: Type.Optional(
        idSchema('own', 'Whose it is. Needed when the session covers owners on several platforms.'),
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
  description: 'Those of the session’s owners; for a platform those of its owners.',
  who: ['owner', 'platform'],
  query: request({
    owner_id: Type.Optional(idSchema('own', 'Only those of this owner.')),
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
  description: 'For the owner, and the platform of the owner. To anyone else it is `not_found`.',
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
    'The agent must be the same owner’s (403 otherwise) and in no organization. 409 when the organization is full or has a treasury already. What the agent spent earlier in the month counts against its budget. An agent that left an organization less than a cooldown ago still has the budget of then: a lower one holds at once, a higher one or none waits in `pending_budget`.',
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
    'A role and a lower budget hold from the agent’s next payment on. A higher budget, or none, waits for the cooldown in `pending_budget`; the budget in force, set again, cancels it. While the owner is frozen, only lowering and cancelling work. A budget below what was spent leaves nothing. The treasury has no budget (400), and keeps its role until another is named (409).',
  who: ['owner'],
  params: ofMember,
  body: request(
    {
      role: Type.Optional(oneOf(MEMBER_ROLES, 'Its role.')),
      budget_limit: Type.Optional(budgetIn),
    },
    { title: 'MemberChange', description: 'What is to change.', examples: [{ budget_limit: 400 }] },
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
    'Its budget holds until the cooldown has passed, and then ends. The treasury cannot leave until another is named (409).',
  who: ['owner'],
  params: ofMember,
  status: 200,
  response: Member,
  responseDescription: 'The member as it was.',
  errors: ['not_found', 'conflict'],
})

export const nameTreasury = route({
  operationId: 'nameTreasury',
  method: 'POST',
  path: '/v1/orgs/{org_id}/treasury',
  tag: 'Organizations',
  summary: 'Name the treasury',
  description:
    'A member becomes the treasury and loses its budget once the cooldown has passed; the treasury before it becomes a worker.',
  who: ['owner'],
  params: ofOrganization,
  body: request(
    { agent_id: idSchema('agt') },
    { title: 'TreasuryRequest', description: 'Who it shall be.', examples: [{ agent_id: exampleId('agt') }] },
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
    { agent_id: idSchema('agt', 'The member that gets it.'), amount: amountIn('How much, INR.') },
    {
      title: 'AllocationRequest',
      description: 'To whom and how much.',
      examples: [{ agent_id: exampleId('agt', 2), amount: 400 }],
    },
  ),
  status: 200,
  response: answer(
    {
      org_id: idSchema('org'),
      agent_id: idSchema('agt', 'The member that got it.'),
      amount: amountOut('How much, INR.'),
      transaction_id: idSchema('txn', 'The treasury’s line of it.'),
      treasury_balance: amountOut('What the treasury has left, INR.'),
      agent_balance: amountOut('What the member has now, INR.'),
    },
    {
      title: 'Allocation',
      description: 'Money moved within an organization.',
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
  description: 'Those of all present members, newest first.',
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
  description: 'All members with what they may spend in this IST calendar month, and what they have spent.',
  who: ['owner', 'platform'],
  params: ofOrganization,
  status: 200,
  response: Budget,
  errors: ['not_found'],
})
