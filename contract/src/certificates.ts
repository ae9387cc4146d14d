import { type Static, Type } from 'typebox'
import { base64Out, EXAMPLE_PUBLIC_KEY, EXAMPLE_TIME, noteText, textOut, timestamp } from './fields.ts'
import { exampleId, idParam, idSchema } from './ids.ts'
import { listOf, pageQuery } from './lists.ts'
import { TIERS } from './owners.ts'
import { route } from './route.ts'
import { nullable, oneOf, request, response } from './schema.ts'

/** The capabilities that a certificate can state (interface section 2). They grant nothing. */
export const CAPABILITIES = ['pay', 'receive', 'escrow', 'verify'] as const

export type Capability = (typeof CAPABILITIES)[number]

export const CERTIFICATE_STATUSES = ['active', 'revoked', 'expired'] as const

/** The default and maximum validity of a certificate, in days (interface section 4, contract section 7). */
export const DEFAULT_VALIDITY_DAYS = 365
export const MAX_VALIDITY_DAYS = 3650

export const capabilitiesOut = Type.Array(oneOf(CAPABILITIES, 'One capability.'), {
  description: 'What the agent states that it does. It grants no rights.',
})

const capabilitiesIn = Type.Array(oneOf(CAPABILITIES, 'One capability.'), {
  minItems: 1,
  maxItems: CAPABILITIES.length,
  uniqueItems: true,
  description: 'What the certificate states about the agent.',
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
  expires_at: timestamp('When it expires.'),
  key_id: textOut('The id of the service’s public key that verifies it.', 'key_2026-11_5d41402a'),
  signature: base64Out(
    'Ed25519 over the RFC 8785 canonical JSON of exactly `id`, `agent_id`, `issuer`, `subject`, `public_key`, `capabilities`, `tier`, `issued_at`, `expires_at`, `key_id`.',
    64,
  ),
  status: oneOf(CERTIFICATE_STATUSES, 'The status; not signed, because it changes.'),
  revoked_at: nullable(timestamp('When it was revoked.')),
  revocation_reason: nullable(textOut('Why it was revoked.', 'Key compromised')),
  token: textOut('The signed content as a compact EdDSA JWT.', 'eyJhbGciOiJFZERTQSJ9.e30.AAAA'),
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
export const Certificate = response(certificateProperties, {
  title: 'Certificate',
  description: 'A signed statement of the service about an agent.',
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
  description: 'Issues a further certificate to the agent, in any state except deactivated (409).',
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
          description: 'The validity in days.',
          examples: [DEFAULT_VALIDITY_DAYS],
        }),
      ),
    },
    {
      title: 'CertificateRequest',
      description: 'The content of the certificate; by default all capabilities for 365 days.',
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
    'All certificates, including revoked and expired ones, newest first. The agent itself does not get `owner_id`.',
  who: ['platform', 'agent', 'owner'],
  params: ofAgent,
  query: request({
    status: Type.Optional(oneOf(CERTIFICATE_STATUSES, 'Only certificates with this status.')),
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
    'Any credential is accepted. Only the agent’s platform, its owner and administrators get `owner_id`.',
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
  description: 'Public. The status is 200 in both cases.',
  who: [],
  params: ofCertificate,
  status: 200,
  response: response(
    {
      valid: Type.Boolean({ description: 'Whether it exists, is active and has a valid signature.' }),
      reason: oneOf(
        ['ok', 'not_found', 'bad_signature', 'revoked', 'expired'],
        '`ok` if valid, otherwise the reason.',
      ),
    },
    {
      title: 'CertificateVerification',
      description: 'Whether the certificate is valid now.',
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
    'Verification fails from now on, permanently. An expired certificate can be revoked too. 409 if it is already revoked.',
  who: ['platform', 'owner'],
  params: ofCertificate,
  body: request(
    { reason: Type.Optional(noteText('The reason, shown with the certificate.', 'Key compromised')) },
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
    'Revokes the certificate and issues a new one for 365 days in one step. Without `capabilities` they stay the same. 409 if it is already revoked.',
  who: ['platform', 'owner'],
  params: ofCertificate,
  body: request(
    { capabilities: Type.Optional(capabilitiesIn) },
    {
      title: 'RotationRequest',
      description: 'The content of the new certificate.',
      examples: [{ capabilities: ['pay'] }],
    },
  ),
  status: 201,
  response: response(
    {
      certificate: response(certificateProperties, { description: 'The new certificate.' }),
      revoked_certificate_id: idSchema('cert', 'The certificate that it replaces.'),
    },
    {
      title: 'CertificateRotation',
      description: 'The new certificate, and the one that it replaces.',
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
