/** Certificates: issued, revoked, stored and proved. Their routes, and who may use them, are in modules/identity. */
export {
  type Certificate,
  certificateRecord,
  type ProvenCertificate,
} from './certificate.ts'
export { checkCertificate } from './check.ts'
export type { CertificatesContext } from './context.ts'
export {
  type CertificateSubject,
  type Issuer,
  issueCertificate,
  issueDefaultCertificates,
  issuerAt,
} from './issue.ts'
export { findCertificate, findCertificateInForce, isSealed, proveCertificates } from './prove.ts'
export { renewDefaultCertificates } from './renew.ts'
export { decideRevocation, revokeAllOf, revokeCertificates } from './revoke.ts'
export {
  countCertificates,
  hasOutdatedDefault,
  lockCertificate,
  selectCertificate,
  selectCertificates,
} from './store.ts'
