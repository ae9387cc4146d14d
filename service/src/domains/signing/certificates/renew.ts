import type { Queryable } from '../../../db/database.ts'
import type { Recording } from '../../../operations/facts.ts'
import { type CertificateSubject, type Issuer, issueDefaultCertificates } from './issue.ts'
import { hasValidMac } from './prove.ts'
import { revokeEach } from './revoke.ts'
import { lockDefaults } from './store.ts'

/**
 * Replaces the default certificates of these agents that have another name or tier, in the caller's commit.
 * Certificates that a caller requested stay. One that was altered stays too: it fails verification, and the failure is
 * logged.
 */
export async function renewDefaultCertificates(
  tx: Queryable,
  subjects: readonly CertificateSubject[],
  issuer: Issuer,
  recording: Recording,
): Promise<void> {
  const subjectOf = new Map(subjects.map(subject => [subject.id, subject]))
  const held = await lockDefaults(tx, [...subjectOf.keys()], recording.now)
  const outdated = held.flatMap(certificate => {
    const subject = subjectOf.get(certificate.agentId)
    const isRight = subject?.name === certificate.subject && subject.tier === certificate.tier
    if (subject === undefined || isRight || !hasValidMac(recording.vault, certificate)) return []
    return [{ certificate, subject }]
  })
  const made = await issueDefaultCertificates(
    tx,
    outdated.map(({ subject }) => subject),
    issuer,
    recording,
  )
  const revocations = outdated.map(({ certificate }, at) => {
    return { certificate, revocation: { reason: 'renewed', replacedBy: made[at]?.id ?? null } }
  })
  await revokeEach(tx, revocations, recording)
}
