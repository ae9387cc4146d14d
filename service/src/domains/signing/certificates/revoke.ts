import type { Queryable } from '../../../db/database.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Act, Recording } from '../../../operations/act.ts'
import type { NewEvent } from '../../../operations/event.ts'
import { recordFacts } from '../../../operations/record.ts'
import { recordEvents } from '../../../operations/record-events.ts'
import { type Certificate, certificateMac } from './certificate.ts'
import { lockUnrevoked, type StoredCertificate, updateRevoked } from './store.ts'

/** Whether a certificate can still be revoked, or rotated, which revokes it. */
export function decideRevocation({ revokedAt }: Pick<Certificate, 'revokedAt'>): Refusal | null {
  if (revokedAt === null) return null
  return refuse('conflict', 'This certificate is revoked already, for good; issue a new one', {
    details: { revoked_at: revokedAt.toISOString() },
  })
}

export interface Revocation {
  readonly reason: string | null
  /** The id of the certificate that replaces it. */
  readonly replacedBy: Uuid | null
}

/**
 * Revokes those of these certificates that are not revoked. The caller holds their row locks. Audit events and webhook
 * events are in the same commit.
 */
export function revokeCertificates(
  tx: Queryable,
  certificates: readonly Certificate[],
  revocation: Revocation,
  recording: Recording,
): Promise<Certificate[]> {
  return revokeEach(
    tx,
    certificates.map(certificate => ({ certificate, revocation })),
    recording,
  )
}

/** The same with a reason for each certificate. */
export async function revokeEach(
  tx: Queryable,
  revocations: readonly Omit<RevokedCertificate, 'now'>[],
  { actor, vault, now }: Recording,
): Promise<Certificate[]> {
  if (revocations.length === 0) return []
  const changes = revocations.map(({ certificate, revocation }) => {
    const changed = { ...certificate, revokedAt: now, revocationReason: revocation.reason }
    const stored: StoredCertificate = { ...changed, seal: certificateMac(vault, changed) }
    return { certificate: stored, revocation, now }
  })
  const revoked = changes.map(({ certificate }) => certificate)
  await updateRevoked(tx, revoked)
  await recordFacts(
    tx,
    vault,
    now,
    changes.map((each): Act => revocationAct(each, actor)),
  )
  await recordEvents(tx, vault, now, changes.map(revocationEvent))
  return revoked
}

/** Revokes all certificates of agents that are deactivated. */
export async function revokeAllOf(
  tx: Queryable,
  agentIds: readonly Uuid[],
  recording: Recording,
): Promise<void> {
  // Certificates that were altered are revoked too. Otherwise a person could restore such a row and the certificate
  // would outlive its agent.
  const certificates = await lockUnrevoked(tx, agentIds)
  await revokeCertificates(tx, certificates, { reason: 'agent deactivated', replacedBy: null }, recording)
}

interface RevokedCertificate {
  readonly certificate: Certificate
  readonly revocation: Revocation
  readonly now: Date
}

function revocationAct({ certificate, revocation }: RevokedCertificate, actor: Act['actor']): Act {
  return {
    agentId: certificate.agentId,
    actor,
    action: 'certificate.revoked',
    target: formatId('cert', certificate.id),
    data: revocationFacts(revocation),
  }
}

function revocationEvent({ certificate, revocation, now }: RevokedCertificate): NewEvent {
  const { agentId } = certificate
  const data = {
    agent_id: formatId('agt', agentId),
    certificate_id: formatId('cert', certificate.id),
    ...revocationFacts(revocation),
    revoked_at: now.toISOString(),
  }
  return { name: 'certificate.revoked', agentId, data }
}

function revocationFacts({ reason, replacedBy }: Revocation) {
  return { reason, replaced_by: replacedBy === null ? null : formatId('cert', replacedBy) }
}
