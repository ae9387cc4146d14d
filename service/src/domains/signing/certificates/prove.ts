import type { Queryable } from '../../../db/database.ts'
import { formatId, parseId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { signObject, verifyObject } from '../../../kernel/signing.ts'
import type { ServiceKey, SigningKey } from '../keys/signing-key.ts'
import {
  type Certificate,
  certificateContent,
  certificateMac,
  certificateStatus,
  type ProvenCertificate,
} from './certificate.ts'
import type { CertificatesContext } from './context.ts'
import { type StoredCertificate, selectCertificate, selectCertificates, selectRevokedInLog } from './store.ts'

/** A certificate as the service wrote it, no certificate, or one whose row was changed since. */
export type FoundCertificate =
  | ({ readonly kind: 'certificate' } & ProvenCertificate)
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

/** Reads a certificate by its public id and verifies it. */
export async function findCertificate(
  context: CertificatesContext,
  address: string,
): Promise<FoundCertificate> {
  const id = parseId('cert', address)
  const stored = id === null ? null : await selectCertificate(context.database, id)
  if (stored === null) return { kind: 'none' }
  const [proven] = await proveCertificates(context, stored.agentId, [stored])
  return proven === undefined ? { kind: 'altered' } : { kind: 'certificate', ...proven }
}

/** The first one is valid, unless the table was edited. */
const LOOKED_THROUGH = 20

/** An agent's newest certificate in force. */
export async function findCertificateInForce(
  context: CertificatesContext,
  agentId: Uuid,
  now: Date,
): Promise<Certificate | null> {
  const newest = { before: null, fetch: LOOKED_THROUGH, offset: 0 }
  const stored = await selectCertificates(context.database, { agentId, status: 'active', now }, newest)
  for (const each of stored) {
    const [proven] = await proveCertificates(context, agentId, [each])
    if (proven !== undefined && certificateStatus(proven.certificate, now) === 'active')
      return proven.certificate
  }
  return null
}

/** The certificates of an agent that verify. Each other one is logged as an error. */
export async function proveCertificates(
  context: CertificatesContext,
  agentId: Uuid,
  stored: readonly StoredCertificate[],
): Promise<ProvenCertificate[]> {
  const { database, logger } = context
  const unrevoked = stored.filter(({ revokedAt }) => revokedAt === null).map(({ id }) => formatId('cert', id))
  const revived = unrevoked.length === 0 ? [] : await selectRevokedInLog(database, agentId, unrevoked)
  const proven: ProvenCertificate[] = []
  for (const each of stored) {
    const id = formatId('cert', each.id)
    const certificate = revived.includes(id) ? await selectRevoked(database, each.id) : each
    const good = certificate === null ? null : await signedByGoodKey(context, certificate)
    if (good !== null) proven.push(good)
    else logger.error({ certificate: id }, 'certificate failed verification: its row was changed')
  }
  return proven
}

/**
 * Returns the certificate if the log records it as revoked: it may have been revoked after it was read. Otherwise null.
 */
async function selectRevoked(db: Queryable, id: Uuid): Promise<StoredCertificate | null> {
  const certificate = await selectCertificate(db, id)
  return certificate === null || certificate.revokedAt === null ? null : certificate
}

/**
 * Verifies a certificate and returns it with the key that signed it; null when its row was changed. The MAC covers
 * the whole row; the signature is what others verify. A row that was restored to its state before the revocation
 * passes both, and only the audit log contradicts it. What a revoked key signed is signed again with the key that
 * replaces it.
 */
async function signedByGoodKey(
  { vault, signingKeys }: Pick<CertificatesContext, 'vault' | 'signingKeys'>,
  stored: StoredCertificate,
): Promise<ProvenCertificate | null> {
  if (!hasValidMac(vault, stored)) return null
  const key = await signingKeys.byId(stored.keyId)
  if (key === null) return null
  const signature = stored.signature.toString('base64')
  if (!verifyObject(certificateContent(stored), signature, key.publicKeyObject)) return null
  return isSigningKey(key)
    ? { certificate: stored, key }
    : signedAgain(stored, await signingKeys.at(stored.issuedAt))
}

function isSigningKey(key: ServiceKey): key is SigningKey {
  return key.privateKey !== null
}

function signedAgain(stored: Certificate, key: SigningKey): ProvenCertificate {
  const certificate = { ...stored, keyId: key.id }
  const signature = Buffer.from(signObject(certificateContent(certificate), key.privateKey), 'base64')
  return { certificate: { ...certificate, signature }, key }
}

export function hasValidMac(vault: Vault, stored: StoredCertificate): boolean {
  return sameHash(certificateMac(vault, stored), stored.mac)
}
