import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { ACTOR_TYPES } from './audit-actions.ts'
import { EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { EXAMPLE_POLICY_VERSION, POLICY_LAYERS, policyVersionOut } from './policy.ts'
import { POLICY_CONTROLS } from './policy-controls.ts'
import { route } from './route.ts'
import { oneOf, request, response } from './schema.ts'

const changedValue = (description: string) =>
  Type.Unsafe<string[] | number | string | null>({
    // A serializer that tries the types in this order takes a list for a text if that comes first.
    type: ['array', 'number', 'string', 'null'],
    items: { type: 'string' },
    description: `${description}: INR, a number of payees, agent ids, or the name of a tier; null if the layer sets nothing.`,
    examples: [5000],
  })

/** What one layer set otherwise. */
const ChangedControl = response(
  {
    layer: oneOf(POLICY_LAYERS, 'The layer that was changed.'),
    control: oneOf(
      [...POLICY_CONTROLS, 'budget_limit', 'tier'],
      'The control, the budget in an organization, or the tier that the limits of the layer belong to.',
    ),
    from: changedValue('The value before'),
    to: changedValue('The value from then on'),
  },
  { title: 'ChangedControl', description: 'One changed control.' },
)

/** Public facts about an agent. */
export const NamedAgent = response(
  {
    agent_id: idSchema('agt'),
    handle: textOut('Its handle.', 'translator'),
    name: textOut('Its name.', 'Translation Agent'),
    status: oneOf(AGENT_STATUSES, 'Its state.'),
  },
  {
    description: 'One agent.',
    examples: [
      {
        agent_id: exampleId('agt', 2),
        handle: 'translator',
        name: 'Translation Agent',
        status: 'active',
      },
    ],
  },
)

/** One version of an agent's effective policy (contract section 12, Exposure). */
export const PolicyVersion = response(
  {
    policy_version: policyVersionOut(
      'The name of the effective policy. The same policy has the same name again.',
    ),
    effective_at: timestamp('From when on it decided payments; until the next version.'),
    changed: Type.Array(ChangedControl, {
      description: 'What changed; in the first version everything that was set.',
    }),
    actor: response(
      {
        type: oneOf(ACTOR_TYPES, 'The kind of caller; `service` is the service itself.'),
        id: textOut(
          'The caller’s id; an administrator’s masked phone; for `service`, the part of the service: `limit increases` for what waited for the cooldown, `policy history` for what was in force when the history began.',
          exampleId('own'),
        ),
      },
      { description: 'Who made the change; of changes that took effect together, the last one.' },
    ),
    payees: Type.Array(NamedAgent, {
      description: 'The agents that the changes of payee lists name. An id of no agent is left out.',
    }),
  },
  {
    title: 'PolicyVersion',
    description: 'An effective policy and the change that led to it.',
    examples: [
      {
        policy_version: EXAMPLE_POLICY_VERSION,
        effective_at: EXAMPLE_TIME,
        changed: [{ layer: 'owner', control: 'spend_limit_daily', from: 5000, to: 2000 }],
        actor: { type: 'owner', id: exampleId('own') },
        payees: [],
      },
    ],
  },
)
export type PolicyVersion = Static<typeof PolicyVersion>

export const listPolicyVersions = route({
  operationId: 'listPolicyVersions',
  method: 'GET',
  path: '/v1/agents/{agent_id}/policy/versions',
  tag: 'Policies',
  summary: 'List the changes of an agent’s effective policy',
  description:
    'Every change of what decides the agent’s payments, by any layer, newest first. A change that waits for the cooldown is listed once it decides. Payments, holds, approvals and refusals name the version that decided them.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request(pageQuery),
  status: 200,
  response: listOf('versions', PolicyVersion, {
    title: 'PolicyVersionList',
    description: 'The versions of an agent’s effective policy, newest first.',
  }),
  errors: ['not_found', 'authorization_error'],
})
