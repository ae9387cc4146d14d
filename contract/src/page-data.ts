import { type Static, Type } from 'typebox'
import { AGENT_STATUSES, Agent } from './agents.ts'
import { NamedAllowance } from './allowances.ts'
import { Approval } from './approvals.ts'
import { Escrow } from './escrow.ts'
import { Exposure } from './exposure.ts'
import { amountOut, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { KYC_STATUSES } from './owners.ts'
import { NamedAgent } from './policy-history.ts'
import { EffectivePolicy, PolicyHeadroom } from './policy-routes.ts'
import { route } from './route.ts'
import { exampleOf, nullable, oneOf, request, response } from './schema.ts'
import { Transaction } from './transactions.ts'
import { Balance } from './wallets.ts'

/** How many of the newest lines an overview shows. */
export const RECENT_LINES = 5

const figures = {
  available: amountOut('The balance that can be spent now, INR.'),
  held: amountOut('What escrow holds of its money, INR.'),
  authorized: amountOut('What payees can capture at any moment, INR.'),
  pending_approvals: amountOut('What waits for the owner’s decision, INR, without fees.'),
}

/** An agent as a list of an owner's agents shows it. Amounts in INR. */
export const AgentSummary = response(
  {
    agent: Agent,
    ...figures,
    tightest: nullable(PolicyHeadroom),
    last_transaction: nullable(Transaction),
  },
  {
    title: 'AgentSummary',
    description:
      'An agent with its money, the limit over a time of which it has used most, and the newest line of its statement; null where there is none.',
    examples: [
      {
        agent: exampleOf(Agent),
        ...{ available: 573, held: 400, authorized: 0, pending_approvals: 1200 },
        tightest: exampleOf(PolicyHeadroom),
        last_transaction: exampleOf(Transaction),
      },
    ],
  },
)
export type AgentSummary = Static<typeof AgentSummary>

export const listAgentSummaries = route({
  operationId: 'listAgentSummaries',
  method: 'GET',
  path: '/api/web/agents',
  tag: 'Owner session',
  summary: 'List your agents with their money',
  description:
    'The agents of the session’s owners, newest first, each with its balance, what is held, the limit of which it has used most, and what it did last.',
  who: ['owner'],
  query: request({
    status: Type.Optional(oneOf(AGENT_STATUSES, 'Only agents in this state.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('agents', AgentSummary, {
    title: 'AgentSummaryList',
    description: 'A page of agents with their money.',
  }),
  errors: [],
})

export const getAgentOverview = route({
  operationId: 'getAgentOverview',
  method: 'GET',
  path: '/v1/agents/{agent_id}/overview',
  tag: 'Agents',
  summary: 'Get everything about an agent’s money',
  description: `The balance, the effective policy, the exposure, the allowances that hold (of an owner’s session) and the newest ${RECENT_LINES} lines of the statement in one response: what \`balance\`, \`policy\`, \`exposure\`, \`/v1/allowances\` and \`transactions\` respond.`,
  who: ['platform', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  status: 200,
  response: response(
    {
      balance: Balance,
      policy: EffectivePolicy,
      exposure: Exposure,
      allowances: nullable(
        Type.Array(NamedAllowance, { description: 'Those that hold, newest first; null for a platform.' }),
      ),
      recent: Type.Array(Transaction, { description: 'The newest lines of the statement.' }),
    },
    {
      title: 'AgentOverview',
      description: 'What an agent has, may still spend, and did last.',
      examples: [
        {
          balance: exampleOf(Balance),
          policy: exampleOf(EffectivePolicy),
          exposure: exampleOf(Exposure),
          allowances: [exampleOf(NamedAllowance)],
          recent: [exampleOf(Transaction)],
        },
      ],
    },
  ),
  errors: ['not_found', 'authorization_error'],
})

export const getApprovalDetails = route({
  operationId: 'getApprovalDetails',
  method: 'GET',
  path: '/v1/approvals/{approval_id}/details',
  tag: 'Approvals',
  summary: 'Get an approval with its payee and the balance',
  description:
    'The approval of one of your agents, who the payee is now, and what the agent’s wallet has now: everything to decide by, in one response.',
  who: ['owner', 'platform'],
  params: request({ approval_id: idParam('apr') }),
  status: 200,
  response: response(
    {
      approval: Approval,
      payee: nullable(
        response(
          {
            handle: textOut('Its handle, which nobody can imitate.', 'translator'),
            kyc_status: oneOf(KYC_STATUSES, 'Whether a bank verified its owner.'),
            member_since: timestamp('When it was created.'),
          },
          { description: 'The payee; null for a hold that names none.' },
        ),
      ),
      available: amountOut('The balance that the agent can spend now, INR.'),
      confirmed_by: nullable(
        response(
          {
            name: textOut('Its name.', 'Asha’s phone'),
            audit_id: idSchema('aud', 'The audit entry of its enrolment.'),
          },
          {
            description:
              'The passkey of this session’s person that confirmed it, perhaps removed since; null if none did, and for a platform.',
          },
        ),
      ),
    },
    {
      title: 'ApprovalDetails',
      description: 'An approval and what its owner decides by.',
      examples: [
        {
          approval: exampleOf(Approval),
          payee: { handle: 'translator', kyc_status: 'verified', member_since: EXAMPLE_TIME },
          available: 975,
          confirmed_by: null,
        },
      ],
    },
  ),
  errors: ['not_found'],
})

export const getEscrowDetails = route({
  operationId: 'getEscrowDetails',
  method: 'GET',
  path: '/v1/escrow/{escrow_id}/details',
  tag: 'Escrow',
  summary: 'Get an escrow with the names of its agents',
  description:
    'The escrow, and who the agents that it names are now: payer, recipient, attestor and who got it.',
  who: ['platform'],
  params: request({ escrow_id: idParam('esc') }),
  status: 200,
  response: response(
    {
      escrow: Escrow,
      agents: Type.Array(NamedAgent, { description: 'The agents that it names, in the order of their ids.' }),
    },
    {
      title: 'EscrowDetails',
      description: 'An escrow and its agents.',
      examples: [{ escrow: exampleOf(Escrow), agents: [exampleOf(NamedAgent)] }],
    },
  ),
  errors: ['not_found'],
})

/** The first agents of a platform, among which its first payment is looked for. */
export const FIRST_AGENTS = 1_000

export const getFirstSteps = route({
  operationId: 'getFirstSteps',
  method: 'GET',
  path: '/v1/platforms/me/first-steps',
  tag: 'Platforms',
  summary: 'Get how far a new platform is',
  description: `What the console’s checklist of a new platform shows, up to its first payment: the earliest one of its first ${FIRST_AGENTS.toLocaleString('en')} agents.`,
  who: ['platform'],
  status: 200,
  response: response(
    {
      owners: Type.Integer({ description: 'The number of owners.', examples: [1] }),
      agents: Type.Integer({ description: 'The number of agents.', examples: [2] }),
      is_funded: Type.Boolean({ description: 'Whether one of the first agents was funded.' }),
      first_payment: nullable(
        response(
          {
            payment_id: idSchema('pay'),
            from: idSchema('agt', 'The payer.'),
            from_name: textOut('Its name.', 'Research Agent'),
            to: idSchema('agt', 'The payee.'),
            to_name: textOut('Its name.', 'Translator'),
            to_handle: textOut('Its handle.', 'translator'),
            amount: amountOut('The amount, INR.'),
            reference: nullable(textOut('Its reference.', 'invoice-2041')),
            note: nullable(textOut('Its note.', 'Translation of 12 pages')),
            created_at: timestamp('When it was paid.'),
          },
          { description: 'The first payment of an agent; null before it.' },
        ),
      ),
    },
    {
      title: 'FirstSteps',
      description: 'How far a new platform is.',
      examples: [
        {
          ...{ owners: 1, agents: 2, is_funded: true },
          first_payment: {
            payment_id: exampleId('pay'),
            from: exampleId('agt'),
            from_name: 'Research Agent',
            to: exampleId('agt', 2),
            to_name: 'Translator',
            to_handle: 'translator',
            amount: 10,
            reference: null,
            note: null,
            created_at: EXAMPLE_TIME,
          },
        },
      ],
    },
  ),
  errors: [],
})
