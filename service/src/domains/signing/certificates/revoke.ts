import type { Queryable } from '../../../db/database.ts'
import { type Refusal, refuse } from '../../../kernel/app-error.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import { type Recording, recordFacts } from '../../../operations/facts.ts'
import { type Certificate, certificateMac } from './certificate.ts'
import { type Revocation, revokedFact } from './facts.ts'
import { lockUnrevoked, type StoredCertificate, updateRevoked } from './store.ts'

/** Whether a certificate can still be revoked, or rotated, which revokes it. */
export function decideRevocation({ revokedAt }: Pick<Certificate, 'revokedAt'>): Refusal | null {
  if (revokedAt === null) return null
  return refuse('conflict', 'This certificate is revoked already, for good; issue a new one', {
    details: { revoked_at: revokedAt.toISOString() },
  })
}

/**
 * Revokes those of these certificates that are not revoked. The caller holds their row locks. Their facts are
 * recorded in the same commit.
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
  revocations: readonly { readonly certificate: Certificate; readonly revocation: Revocation }[],
  recording: Recording,
): Promise<Certificate[]> {
  if (revocations.length === 0) return []
  const { vault, now } = recording
  const revoked = revocations.map(({ certificate, revocation }): StoredCertificate => {
    const changed = { ...certificate, revokedAt: now, revocationReason: revocation.reason }
    return { ...changed, mac: certificateMac(vault, changed) }
  })
  await updateRevoked(tx, revoked)
  const facts = revocations.map(each => revokedFact(each.certificate, each.revocation, recording))
  await recordFacts(tx, vault, now, facts)
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
