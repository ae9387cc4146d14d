import { type Static, Type } from 'typebox'
import { ACTOR_TYPES, AUDIT_ACTION_NAMES, AUDIT_ACTIONS } from './audit-actions.ts'
import { EXAMPLE_TIME, spanEnd, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

const EXAMPLE_HASH = '3f5a8c2e9b7d1046e2f8a3b5c7d9e1f20415263748596a7b8c9daebfc0d1e2f3'
const EXAMPLE_CHECKPOINT = `batua/audit\n2\n${'A'.repeat(43)}=\n\n— batua/audit ${'A'.repeat(90)}==\n`

const hashOut = (description: string) =>
  Type.String({ pattern: '^[0-9a-f]{64}$', description, examples: [EXAMPLE_HASH] })

const checkpointOut = textOut(
  'The signed tree head as a C2SP note: origin, size, base64 root, and the signature of a published key.',
  EXAMPLE_CHECKPOINT,
)

const entryProperties = {
  audit_id: idSchema('aud'),
  agent_id: nullable(
    idSchema('agt', 'The agent that made the change or was changed; null if there is none.'),
  ),
  actor: response(
    {
      type: oneOf(
        ACTOR_TYPES,
        'The kind of caller; `app` is an assistant that acts for an agent, `service` is the service itself.',
      ),
      id: textOut(
        'The caller’s id; an administrator’s masked phone; for `service`, the part of the service.',
        exampleId('agt'),
      ),
      name: Type.Optional(textOut('The name of a connected app; absent for every other actor.', 'Claude')),
    },
    { description: 'The actor.' },
  ),
  action: textOut(
    `The action. One of ${AUDIT_ACTION_NAMES.map(name => `\`${name}\``).join(', ')}.`,
    'payment.completed',
  ),
  target: textOut('The id of what was changed.', exampleId('pay')),
  data: nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description:
        'The details; their fields depend on the action. null for callers that may not read the agent’s trail.',
    }),
  ),
  created_at: timestamp('The time of the change.'),
  hash: hashOut(
    'The leaf: lower-case hex SHA-256 of 0x00 and the RFC 8785 canonical JSON of the entry without `hash`.',
  ),
}

const entryExample = {
  audit_id: exampleId('aud'),
  agent_id: exampleId('agt'),
  actor: { type: 'agent', id: exampleId('agt') },
  action: 'payment.completed',
  target: exampleId('pay'),
  data: { amount: 400, fee: 2, to: exampleId('agt', 2), reference: 'invoice-2041', note: null },
  created_at: EXAMPLE_TIME,
  hash: EXAMPLE_HASH,
}

/** One change in the audit log (contract section 7). Amounts in `data` are INR. Its hash is a leaf of the log’s tree. */
export const AuditEntry = response(entryProperties, {
  title: 'AuditEntry',
  description: 'One recorded change.',
  examples: [entryExample],
})
export type AuditEntry = Static<typeof AuditEntry>

/** Why an entry does not verify (contract section 7). */
export const AUDIT_FAILURES = ['not_found', 'pending', 'altered', 'not_in_log', 'bad_checkpoint'] as const

export type AuditFailure = (typeof AUDIT_FAILURES)[number]

/**
 * An entry with the proof that the log contains it (contract section 7): RFC 6962 inclusion in the tree of a checkpoint
 * that the service signed. Hashes are hex. Verifies offline with the keys of `service-keys.json`.
 */
export const AuditVerification = response(
  {
    valid: Type.Boolean({ description: 'Whether the entry is unaltered and in the log.' }),
    reason: oneOf(
      ['ok', ...AUDIT_FAILURES],
      '`ok` when valid; `pending` if the entry is so new that no checkpoint covers it yet; otherwise the reason.',
    ),
    entry: nullable(
      response(entryProperties, {
        description: 'The entry; null if there is none, or if it is not in the log.',
      }),
    ),
    leaf_index: nullable(Type.Integer({ description: 'Its position in the log, from 0.', examples: [0] })),
    tree_size: nullable(
      Type.Integer({ description: 'The number of leaves that the checkpoint covers.', examples: [2] }),
    ),
    root_hash: nullable(hashOut('The root of that tree.')),
    inclusion_proof: Type.Array(hashOut('A hash of the proof.'), {
      description: 'The sibling hashes from the leaf to the root, RFC 6962 section 2.1.1.',
    }),
    checkpoint: nullable(checkpointOut),
  },
  {
    title: 'AuditVerification',
    description: 'Whether an entry is genuine, with the proof.',
    examples: [
      {
        valid: true,
        reason: 'ok',
        entry: entryExample,
        leaf_index: 0,
        tree_size: 2,
        root_hash: EXAMPLE_HASH,
        inclusion_proof: [EXAMPLE_HASH],
        checkpoint: EXAMPLE_CHECKPOINT,
      },
    ],
  },
)
export type AuditVerification = Static<typeof AuditVerification>

export const listAuditEntries = route({
  operationId: 'listAuditEntries',
  method: 'GET',
  path: '/v1/agents/{agent_id}/audit',
  tag: 'Audit',
  summary: 'List an agent’s audit trail',
  description: 'The changes that the agent made and the changes of the agent, newest first.',
  who: ['platform', 'agent', 'owner'],
  params: request({ agent_id: idParam('agt') }),
  query: request({
    action: Type.Optional(
      Type.String({
        enum: AUDIT_ACTION_NAMES,
        description: 'Only this action.',
        examples: ['payment.completed'],
      }),
    ),
    from_date: Type.Optional(spanEnd('From this IST day or moment on, inclusive.', '2026-11-01')),
    to_date: Type.Optional(spanEnd('Up to this IST day or moment, inclusive.', '2026-11-30')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('entries', AuditEntry, {
    title: 'AuditTrail',
    description: `A page of the trail. Actions: ${Object.entries(AUDIT_ACTIONS)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join(' ')}`,
  }),
  errors: ['authorization_error', 'not_found'],
})

export const verifyAuditEntry = route({
  operationId: 'verifyAuditEntry',
  method: 'GET',
  path: '/v1/audit/verify',
  tag: 'Audit',
  summary: 'Verify an audit entry',
  description:
    'Checks that the entry is unaltered and in the log, and returns the proof: anyone can repeat the check offline with the service’s public keys. The status is 200 in both cases. `data` is null for callers that may not read the agent’s trail; the agent that received the money gets it too.',
  who: ['platform', 'agent', 'owner', 'admin'],
  query: request({ audit_id: idSchema('aud', 'The entry’s id.') }),
  status: 200,
  response: AuditVerification,
  errors: [],
})

export const getCheckpoint = route({
  operationId: 'getCheckpoint',
  method: 'GET',
  path: '/v1/audit/checkpoint',
  tag: 'Audit',
  summary: 'Get the newest checkpoint',
  description:
    'The signed head of the log, at most five seconds behind. Keep it: a later consistency proof shows that nothing before it was changed.',
  who: ['platform', 'agent', 'owner', 'admin'],
  status: 200,
  response: response(
    { checkpoint: checkpointOut },
    {
      title: 'Checkpoint',
      description: 'The newest checkpoint.',
      examples: [{ checkpoint: EXAMPLE_CHECKPOINT }],
    },
  ),
  errors: [],
})

const treeSize = (description: string) =>
  Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, description, examples: [1] })

export const getConsistency = route({
  operationId: 'getConsistency',
  method: 'GET',
  path: '/v1/audit/consistency',
  tag: 'Audit',
  summary: 'Prove that the log only grew',
  description:
    'The RFC 6962 consistency proof between two tree sizes: the later tree contains all leaves of the earlier one, at the same positions.',
  who: ['platform', 'agent', 'owner', 'admin'],
  query: request({
    from: treeSize('The earlier tree size, from a checkpoint.'),
    to: treeSize('The later tree size, at most that of the newest checkpoint.'),
  }),
  status: 200,
  response: response(
    {
      from: Type.Integer({ description: 'The earlier tree size.', examples: [1] }),
      to: Type.Integer({ description: 'The later tree size.', examples: [2] }),
      proof: Type.Array(hashOut('A hash of the proof.'), {
        description: 'RFC 6962 section 2.1.2; empty when the sizes are equal or `from` is 0.',
      }),
    },
    {
      title: 'ConsistencyProof',
      description: 'The proof that the log only grew.',
      examples: [{ from: 1, to: 2, proof: [EXAMPLE_HASH] }],
    },
  ),
  errors: ['validation_error'],
})
