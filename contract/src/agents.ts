import { type Static, Type } from 'typebox'
import { EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, nameText, textOut, timestamp } from './fields.ts'
import { AgentKey, exampleId, idParam, idSchema, VendorId } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { TIERS } from './owners.ts'
import { examplePolicy, PendingPolicy, Policy, policyControlsIn, policyWarnings } from './policy.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** The states of an agent (interface section 3). Only `active` sends; `active` and `quarantined` receive. */
export const AGENT_STATUSES = ['active', 'paused', 'quarantined', 'frozen', 'deactivated'] as const

export type AgentStatus = (typeof AGENT_STATUSES)[number]

const agentProperties = {
  agent_id: idSchema('agt'),
  handle: textOut('The handle, unique on the network for ever, in lower case without `@`.', 'researcher'),
  name: textOut('The display name.', 'Research Agent'),
  owner_id: idSchema('own', 'The person behind it.'),
  platform_id: idSchema('plt', 'The platform that it belongs to.'),
  wallet_id: idSchema('wlt', 'Its wallet.'),
  status: oneOf(AGENT_STATUSES, 'Only an active agent can pay.'),
  held_as: nullable(
    oneOf(
      ['frozen', 'quarantined'],
      'How a deactivated agent was stopped when it ended: its money stays until an administrator restores it. Otherwise null.',
    ),
  ),
  tier: oneOf(TIERS, 'The trust tier, which sets default limits.'),
  origins: Type.Array(textOut('A web origin.', 'https://shop.example'), {
    description: 'Where buyers may pay it, as web origins; empty: it does not say.',
  }),
  policy: Policy,
  pending_policy: PendingPolicy,
  key_last4: textOut('The last four characters of the agent key.', 'xxxx'),
  created_at: timestamp('When it was created.'),
}

const agentExample = {
  agent_id: exampleId('agt'),
  handle: 'researcher',
  name: 'Research Agent',
  owner_id: exampleId('own'),
  platform_id: exampleId('plt'),
  wallet_id: exampleId('wlt'),
  status: 'active',
  held_as: null,
  tier: 'tier1',
  origins: [],
  policy: examplePolicy,
  pending_policy: {},
  key_last4: 'xxxx',
  created_at: EXAMPLE_TIME,
}

const vendorExample = `vendor_ABCDE1234F_${exampleId('agt')}`

/** An agent (contract section 3). `vendor_id` is there only for its platform, its owner and administrators. */
export const Agent = answer(
  { ...agentProperties, vendor_id: Type.Optional(VendorId) },
  {
    title: 'Agent',
    description: 'An agent, its wallet and its policy. `vendor_id` is absent when an agent asks.',
    examples: [{ ...agentExample, vendor_id: vendorExample }],
  },
)
export type Agent = Static<typeof Agent>

const params = request({ agent_id: idParam('agt') })

/** The rule for handles, as the message for an invalid one. */
export const HANDLE_RULE =
  'A handle has 3 to 32 of the characters a-z, 0-9, _ and -, starts with a letter, and is not an agent id'

const Handle = Type.String({
  maxLength: 33,
  pattern: '^@?[A-Za-z][A-Za-z0-9_-]{2,31}$',
  description: `${HANDLE_RULE}. Upper case is lowered and a leading @ dropped.`,
  examples: ['researcher'],
})

const PublicKey = Type.String({
  pattern: '^[A-Za-z0-9+/]{43}=$',
  description:
    'Its Ed25519 public key, the base64 of the 32 raw bytes, when the caller keeps the private key. Absent: the service makes a pair.',
  examples: [EXAMPLE_PUBLIC_KEY],
})

export const createAgent = route({
  operationId: 'createAgent',
  method: 'POST',
  path: '/v1/agents',
  tag: 'Agents',
  summary: 'Create an agent',
  description:
    'Makes an active agent with a wallet and a key. `agent_key` is answered only this once. The handle is unique on the whole network for ever (`conflict` when taken). The policy controls set here take effect at once; amounts are INR.',
  who: ['platform'],
  body: request(
    {
      name: nameText('The display name.', 'Research Agent'),
      handle: Handle,
      owner_id: idSchema('own', 'The person behind the agent.'),
      public_key: Type.Optional(PublicKey),
      ...policyControlsIn,
    },
    {
      title: 'CreateAgentRequest',
      examples: [
        { name: 'Research Agent', handle: 'researcher', owner_id: exampleId('own') },
        {
          name: 'Research Agent',
          handle: '@Researcher',
          owner_id: exampleId('own'),
          spend_limit_per_tx: 500,
          spend_limit_daily: 5000,
          spend_limit_monthly: 50000,
          allowed_payees: ['network'],
          max_counterparties_per_hour: 20,
        },
      ],
    },
  ),
  status: 201,
  response: answer(
    { ...agentProperties, vendor_id: VendorId, agent_key: nullable(AgentKey) },
    {
      title: 'CreatedAgent',
      description: 'The agent and its key.',
      examples: [{ ...agentExample, vendor_id: vendorExample, agent_key: `agk_live_${'x'.repeat(43)}` }],
    },
  ),
  errors: ['not_found', 'conflict'],
})

export const listAgents = route({
  operationId: 'listAgents',
  method: 'GET',
  path: '/v1/agents',
  tag: 'Agents',
  summary: 'List agents',
  description: 'The agents that the caller may see, newest first, deactivated ones included.',
  who: ['platform', 'owner', 'admin'],
  query: request({
    status: Type.Optional(oneOf(AGENT_STATUSES, 'Only agents in this state.')),
    owner_id: Type.Optional(idSchema('own', 'Only agents of this owner.')),
    handle: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        format: 'single-line',
        description: 'Only the agent with this handle, in any case, with or without `@`.',
        examples: ['researcher'],
      }),
    ),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('agents', Agent, { title: 'AgentList', description: 'A page of agents.' }),
  errors: [],
})

export const getCurrentAgent = route({
  operationId: 'getCurrentAgent',
  method: 'GET',
  path: '/v1/agents/me',
  tag: 'Agents',
  summary: 'Get the calling agent',
  description: 'The record of the agent whose key is used, without `vendor_id`.',
  who: ['agent'],
  status: 200,
  response: Agent,
  errors: [],
})

export const getAgent = route({
  operationId: 'getAgent',
  method: 'GET',
  path: '/v1/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Get an agent',
  description: 'One agent. An agent that is not the caller’s is `authorization_error`.',
  who: ['platform', 'agent', 'owner', 'admin'],
  params,
  status: 200,
  response: Agent,
  errors: ['not_found', 'authorization_error'],
})

const Origins = Type.Array(
  Type.String({
    minLength: 1,
    maxLength: 300,
    format: 'single-line',
    description: 'A web origin: https, a host, a port where it is not 443, and no path.',
    examples: ['https://shop.example'],
  }),
  {
    maxItems: 10,
    description:
      'Where the agent sells: the web origins at which buyers may pay it. Paying programs then refuse to pay it anywhere else, so that nobody passes its prices on as his own. An empty list names none. While the owner is frozen, origins are only removed. In the sandbox http of this machine is taken too.',
  },
)

export const UpdatedAgent = answer(
  { ...agentProperties, vendor_id: Type.Optional(VendorId), ...policyWarnings },
  {
    title: 'UpdatedAgent',
    description: 'The agent as it is now.',
    examples: [{ ...agentExample, vendor_id: vendorExample }],
  },
)

export const updateAgent = route({
  operationId: 'updateAgent',
  method: 'PATCH',
  path: '/v1/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Change an agent’s policy, name or origins',
  description:
    'Changes the fields that are sent and leaves the others. null clears a control, 0 means none at all. Amounts are INR. What tightens holds at once; what loosens waits for the cooldown and shows in `pending_policy`. A list that swaps entries does both: until then only those in both lists are allowed, and those in either are blocked; `warnings` says when that leaves nobody to pay. While the owner is frozen, a change that loosens anything or adds an origin is `conflict`, and what waits takes effect once the owner is unfrozen.',
  who: ['platform', 'owner'],
  params,
  body: request(
    {
      name: Type.Optional(nameText('The new display name.', 'Research Agent')),
      origins: Type.Optional(Origins),
      ...policyControlsIn,
    },
    {
      title: 'UpdateAgentRequest',
      examples: [
        { spend_limit_daily: 2000, blocked_payee_agents: [exampleId('agt', 9)] },
        { origins: ['https://shop.example'] },
        { spend_limit_hourly: null, allowed_payees: [exampleId('agt', 2)] },
      ],
    },
  ),
  status: 200,
  response: UpdatedAgent,
  errors: ['not_found', 'authorization_error', 'conflict'],
})

export const deactivateAgent = route({
  operationId: 'deactivateAgent',
  method: 'DELETE',
  path: '/v1/agents/{agent_id}',
  tag: 'Agents',
  summary: 'Deactivate an agent',
  description:
    'Ends the agent for good: its key stops, it neither pays nor receives, and its open payment sessions end. Its handle stays taken.',
  who: ['platform', 'owner'],
  params,
  status: 200,
  response: answer(
    { ...agentProperties, vendor_id: Type.Optional(VendorId) },
    {
      title: 'DeactivatedAgent',
      description: 'The agent as it ended.',
      examples: [{ ...agentExample, status: 'deactivated', vendor_id: vendorExample }],
    },
  ),
  errors: ['not_found', 'authorization_error'],
})

export const rotateAgentKey = route({
  operationId: 'rotateAgentKey',
  method: 'POST',
  path: '/v1/agents/{agent_id}/rotate-keys',
  tag: 'Agents',
  summary: 'Replace the agent key',
  description:
    'Answers a new `agent_key`, once. The old key stops working at once. `conflict` while the owner is frozen.',
  who: ['platform', 'owner', 'agent'],
  params,
  status: 200,
  response: answer(
    {
      agent_id: idSchema('agt'),
      agent_key: nullable(AgentKey),
      key_last4: textOut('The last four characters of the new key.', 'xxxx'),
    },
    {
      title: 'RotatedAgentKey',
      description: 'The new key.',
      examples: [{ agent_id: exampleId('agt'), agent_key: `agk_live_${'x'.repeat(43)}`, key_last4: 'xxxx' }],
    },
  ),
  errors: ['not_found', 'authorization_error', 'conflict'],
})
