import { type Static, Type } from 'typebox'
import { EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, lineText, nameText, textOut, timestamp } from './fields.ts'
import { AgentKey, exampleId, idParam, idSchema, VendorId } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { TIERS } from './owners.ts'
import { examplePolicy, PendingPolicy, Policy, policyControlsIn, policyWarnings } from './policy.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The states of an agent (interface section 3). Only `active` sends; `active` and `quarantined` receive. */
export const AGENT_STATUSES = ['active', 'paused', 'quarantined', 'frozen', 'deactivated'] as const

export type AgentStatus = (typeof AGENT_STATUSES)[number]

const agentProperties = {
  agent_id: idSchema('agt'),
  handle: textOut(
    'The handle, in lower case without `@`. It is unique on the whole network and never reassigned.',
    'researcher',
  ),
  name: textOut('The display name.', 'Research Agent'),
  owner_id: idSchema('own', 'The owner of the agent.'),
  platform_id: idSchema('plt', 'The platform of the agent.'),
  wallet_id: idSchema('wlt', 'The wallet of the agent.'),
  status: oneOf(AGENT_STATUSES, 'Only an active agent can pay.'),
  held_as: nullable(
    oneOf(
      ['frozen', 'quarantined'],
      'For a deactivated agent: how an administrator had stopped it. Its money stays in the wallet until an administrator restores the agent. Otherwise null.',
    ),
  ),
  tier: oneOf(TIERS, 'The trust tier, which sets default limits.'),
  origins: Type.Array(textOut('A web origin.', 'https://shop.example'), {
    description: 'The web origins at which buyers may pay the agent; empty if it names none.',
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

/** An agent (contract section 3). Only its platform, its owner and administrators get `vendor_id`. */
export const Agent = response(
  { ...agentProperties, vendor_id: Type.Optional(VendorId) },
  {
    title: 'Agent',
    description: 'An agent, its wallet and its policy. Agents do not get `vendor_id`.',
    examples: [{ ...agentExample, vendor_id: vendorExample }],
  },
)
export type Agent = Static<typeof Agent>

/** A search reads only so many of the newest agents, because names have no index for parts of them. */
export const SEARCHED_AGENTS = 10_000

const params = request({ agent_id: idParam('agt') })

/** The rule for handles, as the message for an invalid one. */
export const HANDLE_RULE =
  'A handle has 3 to 32 of the characters a-z, 0-9, _ and -, starts with a letter, and is not an agent id'

const Handle = Type.String({
  maxLength: 33,
  pattern: '^@?[A-Za-z][A-Za-z0-9_-]{2,31}$',
  description: `${HANDLE_RULE}. Upper case becomes lower case, and a leading @ is removed.`,
  examples: ['researcher'],
})

const PublicKey = Type.String({
  pattern: '^[A-Za-z0-9+/]{43}=$',
  description:
    'The agent’s Ed25519 public key (base64 of the 32 raw bytes), if the caller keeps the private key. Without it the service makes a key pair.',
  examples: [EXAMPLE_PUBLIC_KEY],
})

export const createAgent = route({
  operationId: 'createAgent',
  method: 'POST',
  path: '/v1/agents',
  tag: 'Agents',
  summary: 'Create an agent',
  description:
    'Creates an active agent with a wallet and a key. `agent_key` is returned only in this response. The handle is unique on the whole network and never reassigned; a handle that is taken is `conflict`. The policy controls in this request take effect at once. Amounts are INR.',
  who: ['platform'],
  body: request(
    {
      name: nameText('The display name.', 'Research Agent'),
      handle: Handle,
      owner_id: idSchema('own', 'The owner of the agent.'),
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
  response: response(
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
  description: 'The agents that the caller has access to, newest first, including deactivated ones.',
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
    search: Type.Optional(
      lineText(
        `Only agents whose name or handle contains it, in any case, among the newest ${SEARCHED_AGENTS.toLocaleString('en')} that the other filters select.`,
        'resea',
      ),
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
  description: 'The agent whose key the request uses, without `vendor_id`.',
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
  description: 'One agent. An agent to which the caller has no access is `authorization_error`.',
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
    description: 'A web origin: https, a host, a port if it is not 443, and no path.',
    examples: ['https://shop.example'],
  }),
  {
    maxItems: 10,
    description:
      'The web origins at which the agent sells and buyers may pay it. Buyers’ programs then refuse to pay it at any other site, so no site can pass on its prices as its own. An empty list removes all. While the owner is frozen, origins can only be removed. In sandbox mode, http on the local machine is accepted too.',
  },
)

export const UpdatedAgent = response(
  { ...agentProperties, vendor_id: Type.Optional(VendorId), ...policyWarnings },
  {
    title: 'UpdatedAgent',
    description: 'The agent after the change.',
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
    'Changes the fields in the request and no others. null clears a control; 0 allows nothing. Amounts are INR. A change that tightens the policy applies at once. A change that loosens it waits for the cooldown and is shown in `pending_policy`. A list whose entries are exchanged does both: until then only agents in both lists are allowed, and agents in either list are blocked. `warnings` reports if that leaves no agent to pay. While the owner is frozen, a change that loosens the policy or adds an origin is `conflict`, and pending changes take effect after the owner is unfrozen.',
  who: ['platform', 'owner'],
  stepUp: true,
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
    'Deactivates the agent permanently: its key stops working, it can neither pay nor receive, and its open payment sessions end. Its handle is not reassigned.',
  who: ['platform', 'owner'],
  params,
  status: 200,
  response: response(
    { ...agentProperties, vendor_id: Type.Optional(VendorId) },
    {
      title: 'DeactivatedAgent',
      description: 'The deactivated agent.',
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
    'Returns a new `agent_key`, only in this response. The old key stops working at once. While the owner is frozen, the request is `conflict`.',
  who: ['platform', 'owner', 'agent'],
  params,
  status: 200,
  response: response(
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
