import type { Capability, Certificate as CertificateRecord, Tier } from '@batua/contract'
import { formatId, type Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { canonicalJson, signToken } from '../../../kernel/signing.ts'
import type { SigningKey } from '../keys/signing-key.ts'

/** A certificate as it is stored; its status depends on the time. */
export interface Certificate {
  readonly id: Uuid
  readonly agentId: Uuid
  /** The agent's name and tier when it was issued. */
  readonly subject: string
  readonly tier: Tier
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  readonly capabilities: readonly Capability[]
  readonly issuer: string
  readonly issuedAt: Date
  readonly expiresAt: Date
  readonly keyId: string
  /** The 64 bytes. */
  readonly signature: Buffer
  readonly revokedAt: Date | null
  readonly revocationReason: string | null
  /** The service issues one for every agent; false: a caller requested it. null: issued before this was recorded. */
  readonly isDefault: boolean | null
}

export type CertificateStatus = CertificateRecord['status']

/** The signed content: nothing that is hidden from strangers, and nothing that changes (contract section 7). */
export function certificateContent(certificate: Omit<Certificate, 'signature'>) {
  return {
    id: formatId('cert', certificate.id),
    agent_id: formatId('agt', certificate.agentId),
    issuer: certificate.issuer,
    subject: certificate.subject,
    public_key: certificate.publicKey,
    capabilities: [...certificate.capabilities],
    tier: certificate.tier,
    issued_at: timeText(certificate.issuedAt),
    expires_at: timeText(certificate.expiresAt),
    key_id: certificate.keyId,
  }
}

/** PostgreSQL has timestamps that JavaScript dates cannot hold, such as infinity. No MAC matches those. */
function timeText(moment: unknown): string {
  return moment instanceof Date && !Number.isNaN(moment.getTime()) ? moment.toISOString() : 'no date'
}

/** The MAC of the whole row. Above all it covers the revocation, which no signature covers. */
export function certificateMac(vault: Vault, certificate: Certificate): Buffer {
  const { signature, revokedAt, revocationReason, isDefault } = certificate
  const row = {
    ...(isDefault === null ? {} : { is_default: isDefault }),
    ...certificateContent(certificate),
    signature: signature.toString('base64'),
    revoked_at: revokedAt === null ? null : timeText(revokedAt),
    revocation_reason: revocationReason,
  }
  return vault.mac(`certificate ${canonicalJson(row)}`)
}

/** A revoked certificate stays revoked after its expiry. */
export function certificateStatus(
  { revokedAt, expiresAt }: Pick<Certificate, 'revokedAt' | 'expiresAt'>,
  now: Date,
): CertificateStatus {
  if (revokedAt !== null) return 'revoked'
  return expiresAt <= now ? 'expired' : 'active'
}

/**
 * A certificate whose MAC and signature were verified, with the key that signed it. Only such a one is returned or
 * signed again.
 */
export interface ProvenCertificate {
  readonly certificate: Certificate
  readonly key: SigningKey
}

/** The certificate as callers see it; `ownerId` only for callers that may know the agent's owner. */
export async function certificateRecord(
  { certificate, key }: ProvenCertificate,
  now: Date,
  ownerId: Uuid | null,
): Promise<CertificateRecord> {
  const { revokedAt, revocationReason, signature } = certificate
  return {
    ...certificateContent(certificate),
    ...(ownerId === null ? {} : { owner_id: formatId('own', ownerId) }),
    signature: signature.toString('base64'),
    status: certificateStatus(certificate, now),
    revoked_at: revokedAt === null ? null : revokedAt.toISOString(),
    revocation_reason: revocationReason,
    token: await certificateToken(certificate, key),
  }
}

/** The content of the token. It is the same each time, because its issue time is the certificate's. */
function certificateToken(certificate: Certificate, key: SigningKey): Promise<string> {
  const content = certificateContent(certificate)
  const { issuer, issuedAt, expiresAt } = certificate
  const terms = { typ: 'certificate+jwt', keyId: key.id, issuer, issuedAt, expiresAt, id: content.id }
  return signToken(content, terms, key.privateKey)
}
