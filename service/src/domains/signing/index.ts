/** The service's signing keys, and the certificates of agents. */
export { type Certificate, certificateRecord, type ProvenCertificate } from './certificates/certificate.ts'
export { checkCertificate } from './certificates/check.ts'
export type { CertificatesContext } from './certificates/context.ts'
export { type Issuer, issueCertificate, issueDefaultCertificates, issuerAt } from './certificates/issue.ts'
export {
  findCertificate,
  findCertificateInForce,
  hasValidMac,
  proveCertificates,
} from './certificates/prove.ts'
export { renewDefaultCertificates } from './certificates/renew.ts'
export { decideRevocation, revokeAllOf, revokeCertificates } from './certificates/revoke.ts'
export {
  countCertificates,
  hasOutdatedDefault,
  lockCertificate,
  selectCertificate,
  selectCertificates,
} from './certificates/store.ts'
export { revokeSigningKey } from './keys/revoke-signing-key.ts'
export { type MadeKey, rotateSigningKey } from './keys/rotate-signing-key.ts'
export { serveKeys } from './keys/routes.ts'
export type { SigningKey } from './keys/signing-key.ts'
export { openSigningKeys, type SigningKeys } from './keys/signing-keys.ts'
