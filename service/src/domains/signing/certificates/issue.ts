import { CAPABILITIES, type Capability, DEFAULT_VALIDITY_DAYS, type Tier } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { newUuid, type Uuid } from '../../../kernel/ids.ts'
import { signObject } from '../../../kernel/signing.ts'
import { type Recording, recordFacts } from '../../../operations/facts.ts'
import type { SigningKey } from '../keys/signing-key.ts'
import type { SigningKeys } from '../keys/signing-keys.ts'
import { type Certificate, certificateContent, certificateMac } from './certificate.ts'
import { issuedFact } from './facts.ts'
import { insertCertificates, type StoredCertificate } from './store.ts'

/** The signing key and the time of one issue. */
export interface Issuer {
  /** The issuer that every certificate names. */
  readonly name: string
  readonly key: SigningKey
}

/** Called before a transaction begins, because the keys may have to be read again. */
export async function issuerAt(
  {
    signingKeys,
    serviceName,
  }: { readonly signingKeys: Pick<SigningKeys, 'at'>; readonly serviceName: string },
  now: Date,
): Promise<Issuer> {
  return { name: serviceName, key: await signingKeys.at(now) }
}

/** The content of an agent's certificate, from a row whose MAC was verified or that was just created. */
export interface CertificateSubject {
  readonly id: Uuid
  readonly name: string
  readonly tier: Tier
  readonly publicKey: string
}

export interface CertificateTerms {
  readonly capabilities: readonly Capability[]
  readonly validityDays: number
}

/** The default certificate of a new agent (contract section 7). */
const DEFAULT_TERMS: CertificateTerms = { capabilities: CAPABILITIES, validityDays: DEFAULT_VALIDITY_DAYS }

export async function issueCertificate(
  tx: Queryable,
  subject: CertificateSubject,
  terms: CertificateTerms,
  issuer: Issuer,
  recording: Recording,
): Promise<Certificate> {
  const certificate = signCertificate(subject, { ...terms, isDefault: false }, issuer, recording)
  await insertCertificates(tx, [certificate])
  await recordFacts(tx, recording.vault, recording.now, [issuedFact(certificate, recording)])
  return certificate
}

/** One default certificate for each of these agents. */
export async function issueDefaultCertificates(
  tx: Queryable,
  subjects: readonly CertificateSubject[],
  issuer: Issuer,
  recording: Recording,
): Promise<Certificate[]> {
  if (subjects.length === 0) return []
  const terms = { ...DEFAULT_TERMS, isDefault: true }
  const certificates = subjects.map(subject => signCertificate(subject, terms, issuer, recording))
  await insertCertificates(tx, certificates)
  const facts = certificates.map(certificate => issuedFact(certificate, recording))
  await recordFacts(tx, recording.vault, recording.now, facts)
  return certificates
}

function signCertificate(
  subject: CertificateSubject,
  { capabilities, validityDays, isDefault }: CertificateTerms & { readonly isDefault: boolean },
  { name, key }: Issuer,
  { vault, now }: Recording,
): StoredCertificate {
  const unsigned = {
    id: newUuid(now),
    agentId: subject.id,
    subject: subject.name,
    tier: subject.tier,
    publicKey: subject.publicKey,
    capabilities,
    issuer: name,
    issuedAt: now,
    expiresAt: new Date(now.getTime() + validityDays * DAY_MS),
    keyId: key.id,
    revokedAt: null,
    revocationReason: null,
    isDefault,
  }
  const signature = Buffer.from(signObject(certificateContent(unsigned), key.privateKey), 'base64')
  const certificate = { ...unsigned, signature }
  return { ...certificate, mac: certificateMac(vault, certificate) }
}
