import { type Static, Type } from 'typebox'
import { base64Out, EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, noteText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { TIERS } from './owners.ts'
import { route } from './route.ts'
import { answer, nullable, oneOf, request } from './schema.ts'

/** What a certificate may say of its agent (interface section 2). It grants nothing. */
export const CAPABILITIES = ['pay', 'receive', 'escrow', 'verify'] as const

export type Capability = (typeof CAPABILITIES)[number]

export const CERTIFICATE_STATUSES = ['active', 'revoked', 'expired'] as const

/** Days that a certificate is valid for when nothing is said, and at most (interface section 4, contract section 7). */
export const DEFAULT_VALIDITY_DAYS = 365
export const MAX_VALIDITY_DAYS = 3650

export const capabilitiesOut = Type.Array(oneOf(CAPABILITIES, 'One capability.'), {
  description: 'What the agent says it does here. It grants no powers.',
})

const capabilitiesIn = Type.Array(oneOf(CAPABILITIES, 'One capability.'), {
  minItems: 1,
  maxItems: CAPABILITIES.length,
  uniqueItems: true,
  description: 'What the certificate says of the agent.',
  examples: [['pay', 'receive']],
})

const certificateProperties = {
  id: idSchema('cert'),
  agent_id: idSchema('agt'),
  issuer: textOut('The service that issued it.', 'batua'),
  subject: textOut('The agent’s name when it was issued.', 'Research Agent'),
  public_key: base64Out('The agent’s Ed25519 public key, base64 of its 32 bytes.', 32),
  capabilities: capabilitiesOut,
  tier: oneOf(TIERS, 'The agent’s trust tier when it was issued.'),
  owner_id: Type.Optional(
    idSchema('own', 'The agent’s owner. Only for its platform, its owner and administrators; not signed.'),
  ),
  issued_at: timestamp('When it was issued.'),
  expires_at: timestamp('Until when it is valid.'),
  key_id: textOut('Which of the service’s public keys signed it.', 'key_2026-11_5d41402a'),
  signature: base64Out(
    'Ed25519 over the RFC 8785 canonical JSON of exactly `id`, `agent_id`, `issuer`, `subject`, `public_key`, `capabilities`, `tier`, `issued_at`, `expires_at`, `key_id`.',
    64,
  ),
  status: oneOf(CERTIFICATE_STATUSES, 'Whether it is in force; not signed, because it changes.'),
  revoked_at: nullable(timestamp('When it was revoked.')),
  revocation_reason: nullable(textOut('Why it was revoked.', 'Key compromised')),
  token: textOut('What is signed as a compact EdDSA JWT.', 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'),
}

const certificateExample = {
  id: exampleId('cert'),
  agent_id: exampleId('agt'),
  issuer: 'batua',
  subject: 'Research Agent',
  public_key: EXAMPLE_PUBLIC_KEY,
  capabilities: ['pay', 'receive', 'escrow', 'verify'],
  tier: 'tier1',
  owner_id: exampleId('own'),
  issued_at: EXAMPLE_TIME,
  expires_at: '2027-11-20T10:15:30.000Z',
  key_id: 'key_2026-11_5d41402a',
  signature: `${'A'.repeat(86)}==`,
  status: 'active',
  revoked_at: null,
  revocation_reason: null,
  token: 'eyJhbGciOiJFZERTQSJ9.e30.AAAA',
}

/** A certificate (interface section 2, contract section 7). Verifies offline with the key of `service-keys.json`. */
export const Certificate = answer(certificateProperties, {
  title: 'Certificate',
  description: 'What the service vouches for of an agent, signed.',
  examples: [certificateExample],
})
export type Certificate = Static<typeof Certificate>

const ofAgent = request({ agent_id: idParam('agt') })
const ofCertificate = request({ cert_id: idParam('cert') })

export const issueCertificate = route({
  operationId: 'issueCertificate',
  method: 'POST',
  path: '/v1/agents/{agent_id}/certificates',
  tag: 'Certificates',
  summary: 'Issue a certificate',
  description:
    'One more beside those that the agent has, whatever its state; a stopped agent can be vouched for. 409 for a deactivated one.',
  who: ['platform', 'owner'],
  params: ofAgent,
  body: request(
    {
      capabilities: Type.Optional(capabilitiesIn),
      validity_days: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: MAX_VALIDITY_DAYS,
          default: DEFAULT_VALIDITY_DAYS,
          description: 'For how many days it is valid.',
          examples: [DEFAULT_VALIDITY_DAYS],
        }),
      ),
    },
    {
      title: 'CertificateRequest',
      description: 'What the certificate says; all capabilities for 365 days when nothing is said.',
      examples: [{ capabilities: ['pay', 'receive'], validity_days: 365 }],
    },
  ),
  status: 201,
  response: Certificate,
  errors: ['authorization_error', 'not_found', 'conflict'],
})

export const listCertificates = route({
  operationId: 'listCertificates',
  method: 'GET',
  path: '/v1/agents/{agent_id}/certificates',
  tag: 'Certificates',
  summary: 'List an agent’s certificates',
  description:
    'All of them, revoked and expired ones too, newest first. The agent itself does not see `owner_id`.',
  who: ['platform', 'agent', 'owner'],
  params: ofAgent,
  query: request({
    status: Type.Optional(oneOf(CERTIFICATE_STATUSES, 'Only those with this status.')),
    ...pageQuery,
  }),
  status: 200,
  response: listOf('certificates', Certificate, {
    title: 'CertificateList',
    description: 'A page of certificates.',
  }),
  errors: ['authorization_error', 'not_found'],
})

export const getCertificate = route({
  operationId: 'getCertificate',
  method: 'GET',
  path: '/v1/certificates/{cert_id}',
  tag: 'Certificates',
  summary: 'Get a certificate',
  description:
    'Any credential will do. `owner_id` is there only for the agent’s platform and owner and for administrators.',
  who: ['platform', 'agent', 'owner', 'admin'],
  params: ofCertificate,
  status: 200,
  response: Certificate,
  errors: ['not_found'],
})

export const verifyCertificate = route({
  operationId: 'verifyCertificate',
  method: 'GET',
  path: '/v1/certificates/{cert_id}/verify',
  tag: 'Certificates',
  summary: 'Verify a certificate',
  description: 'Public. 200 either way.',
  who: [],
  params: ofCertificate,
  status: 200,
  response: answer(
    {
      valid: Type.Boolean({ description: 'Whether it exists, is in force and its signature is good.' }),
      reason: oneOf(
        ['ok', 'not_found', 'bad_signature', 'revoked', 'expired'],
        '`ok` when valid, otherwise why not.',
      ),
    },
    {
      title: 'CertificateVerification',
      description: 'Whether the certificate is good now.',
      examples: [
        { valid: true, reason: 'ok' },
        { valid: false, reason: 'revoked' },
      ],
    },
  ),
  errors: [],
})

export const revokeCertificate = route({
  operationId: 'revokeCertificate',
  method: 'POST',
  path: '/v1/certificates/{cert_id}/revoke',
  tag: 'Certificates',
  summary: 'Revoke a certificate',
  description:
    'It fails verification at once, for good; an expired one can be revoked too. 409 when it is revoked already.',
  who: ['platform', 'owner'],
  params: ofCertificate,
  body: request(
    { reason: Type.Optional(noteText('Why; shown with the certificate.', 'Key compromised')) },
    { title: 'RevocationRequest', description: 'Why.', examples: [{ reason: 'Key compromised' }] },
  ),
  status: 200,
  response: Certificate,
  errors: ['authorization_error', 'not_found', 'conflict'],
})

export const rotateCertificate = route({
  operationId: 'rotateCertificate',
  method: 'POST',
  path: '/v1/certificates/{cert_id}/rotate',
  tag: 'Certificates',
  summary: 'Rotate a certificate',
  description:
    'Revokes it and issues a new one for 365 days in one step. Capabilities stay as they were unless given. 409 when it is revoked already.',
  who: ['platform', 'owner'],
  params: ofCertificate,
  body: request(
    { capabilities: Type.Optional(capabilitiesIn) },
    {
      title: 'RotationRequest',
      description: 'What the new one says.',
      examples: [{ capabilities: ['pay'] }],
    },
  ),
  status: 201,
  response: answer(
    {
      certificate: answer(certificateProperties, { description: 'The new certificate.' }),
      revoked_certificate_id: idSchema('cert', 'The one that it replaces.'),
    },
    {
      title: 'CertificateRotation',
      description: 'The new certificate and the one it replaces.',
      examples: [
        {
          certificate: { ...certificateExample, id: exampleId('cert', 2) },
          revoked_certificate_id: exampleId('cert'),
        },
      ],
    },
  ),
  errors: ['authorization_error', 'not_found', 'conflict'],
})
