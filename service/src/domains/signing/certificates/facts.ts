import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Fact, Recording } from '../../../operations/facts.ts'
import type { Certificate } from './certificate.ts'

export function issuedFact(certificate: Certificate, { actor }: Pick<Recording, 'actor'>): Fact {
  return {
    agentId: certificate.agentId,
    actor,
    action: 'certificate.issued',
    target: formatId('cert', certificate.id),
    data: {
      capabilities: certificate.capabilities,
      tier: certificate.tier,
      public_key: certificate.publicKey,
      expires_at: certificate.expiresAt.toISOString(),
      key_id: certificate.keyId,
    },
  }
}

export interface Revocation {
  readonly reason: string | null
  /** The id of the certificate that replaces it. */
  readonly replacedBy: Uuid | null
}

export function revokedFact(
  { id, agentId }: Certificate,
  { reason, replacedBy }: Revocation,
  { actor, now }: Pick<Recording, 'actor' | 'now'>,
): Fact {
  const certificateId = formatId('cert', id)
  const data = { reason, replaced_by: replacedBy === null ? null : formatId('cert', replacedBy) }
  const event = {
    agent_id: formatId('agt', agentId),
    certificate_id: certificateId,
    ...data,
    revoked_at: now.toISOString(),
  }
  return {
    agentId,
    actor,
    action: 'certificate.revoked',
    target: certificateId,
    data,
    events: [{ name: 'certificate.revoked', agentId, data: event }],
  }
}
