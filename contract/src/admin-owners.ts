import { type Static, Type } from 'typebox'
import { amountOut, EXAMPLE_TIME } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { KYC_STATUSES, OWNER_STATUSES, Owner, TIERS } from './owners.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

const accountProperties = {
  ...Owner.properties,
  platform_id: idSchema('plt', 'The platform that registered the owner.'),
}

const accountExample = {
  owner_id: exampleId('own'),
  name: 'Asha Rao',
  phone: '9876543210',
  email: 'asha@example.com',
  pan: 'ABCxxxxx4F',
  kyc_status: 'verified',
  reason: null,
  tier: 'tier1',
  status: 'active',
  link_status: 'accepted',
  bank_account_last4: '9012',
  bank_ifsc: 'HDFC0001234',
  pending_bank_account: null,
  created_at: EXAMPLE_TIME,
  platform_id: exampleId('plt'),
}

/** An owner with its platform, for administrators (contract section 8). */
export const OwnerAccount = response(accountProperties, {
  title: 'OwnerAccount',
  description: 'An owner and the platform that registered it.',
  examples: [accountExample],
})
export type OwnerAccount = Static<typeof OwnerAccount>

const count = (description: string, example = 0) => Type.Integer({ description, examples: [example] })

/** The number of agents in each state (contract section 8). */
export const AgentCounts = response(
  {
    total: count('All agents.', 1250),
    active: count('Agents that can pay.', 1180),
    paused: count('Paused by their owner or platform.', 40),
    quarantined: count('Quarantined during an investigation.', 10),
    frozen: count('Frozen.', 5),
    deactivated: count('Deactivated, which is final.', 15),
  },
  {
    title: 'AgentCounts',
    description: 'The number of agents in each state.',
    examples: [{ total: 1250, active: 1180, paused: 40, quarantined: 10, frozen: 5, deactivated: 15 }],
  },
)
export type AgentCounts = Static<typeof AgentCounts>

const countsExample = { total: 3, active: 2, paused: 0, quarantined: 1, frozen: 0, deactivated: 0 }
const params = request({ owner_id: idParam('own') })
const common = { tag: 'Administration', who: ['admin'], status: 200 } as const

export const listAllOwners = route({
  ...common,
  operationId: 'listAllOwners',
  method: 'GET',
  path: '/v1/admin/owners',
  summary: 'List all owners',
  description: 'The owners of all platforms, newest first.',
  query: request({
    status: Type.Optional(oneOf(OWNER_STATUSES, 'Only owners in this state.')),
    kyc_status: Type.Optional(oneOf(KYC_STATUSES, 'Only owners with this bank verification status.')),
    tier: Type.Optional(oneOf(TIERS, 'Only owners of this tier.')),
    ...pageQuery,
  }),
  response: listOf('owners', OwnerAccount, {
    title: 'OwnerAccountList',
    description: 'A page of the owners of all platforms.',
  }),
  errors: [],
})

export const getOwnerAccount = route({
  ...common,
  operationId: 'getOwnerAccount',
  method: 'GET',
  path: '/v1/admin/owners/{owner_id}',
  summary: 'Get any owner',
  description: 'The owner’s record, the states of its agents, and the sum of their balances in INR.',
  params,
  response: response(
    {
      ...accountProperties,
      agents: response(AgentCounts.properties, { description: 'The number of its agents in each state.' }),
      total_balance: amountOut('The sum of its agents’ balances, INR.'),
    },
    {
      title: 'OwnerAccountDetails',
      description: 'An owner, its agents by state, and the sum of their balances.',
      examples: [{ ...accountExample, agents: countsExample, total_balance: 1950 }],
    },
  ),
  errors: ['not_found'],
})

export const setOwnerTier = route({
  ...common,
  operationId: 'setOwnerTier',
  method: 'PATCH',
  path: '/v1/admin/owners/{owner_id}',
  stepUp: true,
  summary: 'Set an owner’s tier',
  description:
    'Sets the trust tier of the owner and of all its agents that are not deactivated. The tier’s limits, higher or lower, apply from their next payment on.',
  params,
  body: request(
    { tier: oneOf(TIERS, 'The tier.') },
    { title: 'SetOwnerTierRequest', examples: [{ tier: 'tier2' }] },
  ),
  response: OwnerAccount,
  errors: ['not_found'],
})

const affected = {
  ...accountProperties,
  agents_affected: count('The number of agents whose state changed.', 3),
}

export const freezeOwner = route({
  ...common,
  operationId: 'freezeOwner',
  method: 'POST',
  path: '/v1/admin/owners/{owner_id}/freeze',
  summary: 'Freeze an owner',
  description:
    'Freezes the owner and all its agents that are not deactivated, in one step: from the next payment on, none of them can pay or receive. Freezing a frozen owner changes nothing.',
  params,
  response: response(affected, {
    title: 'FrozenOwner',
    description: 'The frozen owner, and the number of agents that were frozen with it.',
    examples: [{ ...accountExample, status: 'frozen', agents_affected: 3 }],
  }),
  errors: ['not_found'],
})

export const unfreezeOwner = route({
  ...common,
  operationId: 'unfreezeOwner',
  method: 'POST',
  path: '/v1/admin/owners/{owner_id}/unfreeze',
  stepUp: true,
  summary: 'Unfreeze an owner',
  description:
    'Ends the freeze of the owner and of all its frozen agents, also of those that were frozen one by one or in bulk, and also if the owner itself is not frozen. An agent that was paused or quarantined before returns to that state.',
  params,
  response: response(affected, {
    title: 'UnfrozenOwner',
    description: 'The owner, and the number of agents that were unfrozen with it.',
    examples: [{ ...accountExample, agents_affected: 3 }],
  }),
  errors: ['not_found'],
})
