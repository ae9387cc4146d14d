/** Certificates: issued, revoked, stored and proved. Their routes, and who may use them, are in modules/identity. */
export {
  type Certificate,
  certificateRecord,
  type ProvenCertificate,
} from './certificate.ts'
export { checkCertificate } from './check.ts'
export type { CertificatesContext } from './context.ts'
export {
  type Issuer,
  issueCertificate,
  issueDefaultCertificates,
  issuerAt,
} from './issue.ts'
export { findCertificate, findCertificateInForce, isSealed, proveCertificates } from './prove.ts'
export { decideRevocation, revokeAllOf, revokeCertificates } from './revoke.ts'
export { countCertificates, lockCertificate, selectCertificates } from './store.ts'
