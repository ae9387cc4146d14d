import { type Static, Type } from 'typebox'
import { AGENT_STATUSES } from './agents.ts'
import { CAPABILITIES, capabilitiesOut } from './certificates.ts'
import { base64Out, EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { KYC_STATUSES, TIERS } from './owners.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

const issuer = textOut('The service that signed it.', 'batua')
const keyId = textOut('The id of the service’s public key that verifies it.', 'key_2026-11_5d41402a')
const token = textOut('The same content as a compact EdDSA JWT.', 'eyJhbGciOiJFZERTQSJ9.e30.AAAA')
const EXAMPLE_TOKEN = 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'
const EXAMPLE_SIGNATURE = `${'A'.repeat(86)}==`

const origins = Type.Array(textOut('A web origin.', 'https://shop.example'), {
  description: 'The web origins at which buyers may pay the agent; empty if it names none.',
})

/**
 * The service's statement about an agent, as of now (contract section 7). Signed: RFC 8785 canonical JSON of it
 * without `signature`
 * and `token`, Ed25519, base64.
 */
export const IdentityVerification = response(
  {
    agent_id: idSchema('agt'),
    handle: textOut('The agent’s handle.', 'researcher'),
    name: textOut('The agent’s name.', 'Research Agent'),
    status: oneOf(AGENT_STATUSES, 'The agent’s state.'),
    tier: oneOf(TIERS, 'The agent’s trust tier.'),
    kyc_status: oneOf(KYC_STATUSES, 'Whether the owner’s bank account is verified.'),
    member_since: timestamp('When the agent was created.'),
    certificate_id: nullable(
      idSchema('cert', 'The agent’s newest active certificate; null if there is none.'),
    ),
    capabilities: capabilitiesOut,
    public_key: base64Out('The agent’s Ed25519 public key, base64 of its 32 bytes.', 32),
    origins,
    verified_at: timestamp('The time of the statement.'),
    issuer,
    key_id: keyId,
    signature: base64Out(
      'Ed25519 over the RFC 8785 canonical JSON of this object without `signature` and `token`, base64.',
      64,
    ),
    token,
  },
  {
    title: 'IdentityVerification',
    description: 'A signed statement about an agent.',
    examples: [
      {
        agent_id: exampleId('agt'),
        handle: 'researcher',
        name: 'Research Agent',
        status: 'active',
        tier: 'tier1',
        kyc_status: 'verified',
        member_since: EXAMPLE_TIME,
        certificate_id: exampleId('cert'),
        capabilities: [...CAPABILITIES],
        public_key: EXAMPLE_PUBLIC_KEY,
        origins: ['https://shop.example'],
        verified_at: EXAMPLE_TIME,
        issuer: 'batua',
        key_id: 'key_2026-11_5d41402a',
        signature: EXAMPLE_SIGNATURE,
        token: EXAMPLE_TOKEN,
      },
    ],
  },
)
export type IdentityVerification = Static<typeof IdentityVerification>

/**
 * Where buyers may pay an agent. Signed: RFC 8785 canonical JSON of it without `signature`, Ed25519, base64.
 */
export const AgentOrigins = response(
  {
    agent_id: idSchema('agt'),
    handle: textOut('The agent’s handle.', 'translator'),
    origins,
    signed_at: timestamp('The time of the statement.'),
    issuer,
    key_id: keyId,
    signature: base64Out(
      'Ed25519 over the RFC 8785 canonical JSON of this object without `signature`, base64.',
      64,
    ),
  },
  {
    title: 'AgentOrigins',
    description: 'The web origins at which an agent sells, signed.',
    examples: [
      {
        agent_id: exampleId('agt'),
        handle: 'translator',
        origins: ['https://shop.example'],
        signed_at: EXAMPLE_TIME,
        issuer: 'batua',
        key_id: 'key_2026-11_5d41402a',
        signature: EXAMPLE_SIGNATURE,
      },
    ],
  },
)
export type AgentOrigins = Static<typeof AgentOrigins>

/** How long a membership proof is valid (interface section 8), in seconds. */
export const PROOF_VALIDITY_S = 3_600

/**
 * Proves that an agent is a member of the network (interface section 2, contract section 7). Signed: RFC 8785
 * canonical JSON
 * of `proof`, Ed25519, base64. Valid for one hour.
 */
export const MembershipProof = response(
  {
    proof: response(
      {
        issuer,
        agent_id: idSchema('agt'),
        handle: textOut('The agent’s handle.', 'researcher'),
        kyc_status: oneOf(KYC_STATUSES, 'Whether the owner’s bank account is verified.'),
        network_age_days: Type.Integer({
          description: 'Whole days since the agent was created.',
          examples: [42],
        }),
        tier: oneOf(TIERS, 'The agent’s trust tier.'),
        platform_id: Type.Optional(idSchema('plt', 'The agent’s platform; only with `affiliation=true`.')),
        organization_id: Type.Optional(
          nullable(
            idSchema(
              'org',
              'The organization that the agent is a member of; null if there is none. Only with `affiliation=true`.',
            ),
          ),
        ),
        issued_at: timestamp('The time of the statement.'),
        expires_at: timestamp('When the proof expires: one hour later.'),
        key_id: keyId,
      },
      { description: 'The signed content.' },
    ),
    signature: base64Out('Ed25519 over the RFC 8785 canonical JSON of `proof`, base64.', 64),
    token,
  },
  {
    title: 'MembershipProof',
    description: 'A proof that is valid for an hour.',
    examples: [
      {
        proof: {
          issuer: 'batua',
          agent_id: exampleId('agt'),
          handle: 'researcher',
          kyc_status: 'verified',
          network_age_days: 42,
          tier: 'tier1',
          issued_at: EXAMPLE_TIME,
          expires_at: '2026-11-20T11:15:30.000Z',
          key_id: 'key_2026-11_5d41402a',
        },
        signature: EXAMPLE_SIGNATURE,
        token: EXAMPLE_TOKEN,
      },
    ],
  },
)
export type MembershipProof = Static<typeof MembershipProof>

const ofAgent = request({ agent_id: idParam('agt', 'The agent’s id or handle.') })

export const getMembershipProof = route({
  operationId: 'getMembershipProof',
  method: 'GET',
  path: '/v1/agents/me/proof',
  tag: 'Identity',
  summary: 'Get a membership proof',
  description:
    'A proof that the calling agent can show to any other party, who verifies it offline. With `affiliation=true` it also names the agent’s platform and organization, for sellers whose prices depend on them. An agent that is not active gets none (`policy_denied`).',
  who: ['agent'],
  query: request({
    affiliation: Type.Optional(
      Type.Boolean({
        default: false,
        description: 'Whether the proof also names the agent’s platform and organization.',
        examples: [true],
      }),
    ),
  }),
  status: 200,
  response: MembershipProof,
  errors: ['policy_denied'],
})

export const verifyIdentity = route({
  operationId: 'verifyIdentity',
  method: 'GET',
  path: '/v1/identity/{agent_id}/verify',
  tag: 'Identity',
  summary: 'Verify an agent’s identity',
  description: 'A signed statement about the agent at this moment. Any credential is accepted.',
  who: ['platform', 'agent', 'owner', 'admin'],
  params: ofAgent,
  status: 200,
  response: IdentityVerification,
  errors: ['not_found'],
})

export const getAgentOrigins = route({
  operationId: 'getAgentOrigins',
  method: 'GET',
  path: '/v1/agents/{handle}/origins',
  tag: 'Identity',
  summary: 'Get an agent’s origins',
  description:
    'Public. The web origins at which buyers may pay the agent, signed. The list is empty if the agent names none. A program that buys checks them before it pays a price that a web site quotes.',
  who: [],
  params: request({
    handle: Type.String({
      minLength: 1,
      maxLength: 255,
      description: 'A handle in any case with or without `@`, or an agent id.',
      examples: ['translator'],
    }),
  }),
  status: 200,
  response: AgentOrigins,
  errors: ['not_found'],
})

export const getPublicKey = route({
  operationId: 'getPublicKey',
  method: 'GET',
  path: '/v1/identity/{agent_id}/public-key',
  tag: 'Identity',
  summary: 'Get an agent’s public key',
  description: 'Any credential is accepted.',
  who: ['platform', 'agent', 'owner', 'admin'],
  params: ofAgent,
  status: 200,
  response: response(
    {
      agent_id: idSchema('agt'),
      algorithm: oneOf(['Ed25519'], 'The signature algorithm.'),
      public_key: base64Out('The agent’s public key, base64 of its 32 bytes.', 32),
    },
    {
      title: 'AgentPublicKey',
      description: 'The public key of the agent.',
      examples: [{ agent_id: exampleId('agt'), algorithm: 'Ed25519', public_key: EXAMPLE_PUBLIC_KEY }],
    },
  ),
  errors: ['not_found'],
})
