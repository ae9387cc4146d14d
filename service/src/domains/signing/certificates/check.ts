import type { ResponseOf, verifyCertificate } from '@batua/contract'
import { unreachable } from '../../../kernel/assert.ts'
import { certificateStatus } from './certificate.ts'
import type { CertificatesContext } from './context.ts'
import { findCertificate } from './prove.ts'

export type CertificateVerification = ResponseOf<typeof verifyCertificate>

/**
 * Whether a certificate is valid now. One that was altered is not reported as revoked or expired, because its row
 * cannot be trusted.
 */
export async function checkCertificate(
  context: CertificatesContext,
  address: string,
  now: Date,
): Promise<CertificateVerification> {
  const found = await findCertificate(context, address)
  if (found.kind === 'none') return { valid: false, reason: 'not_found' }
  if (found.kind === 'altered') return { valid: false, reason: 'bad_signature' }
  const status = certificateStatus(found.certificate, now)
  switch (status) {
    case 'active':
      return { valid: true, reason: 'ok' }
    case 'revoked':
    case 'expired':
      return { valid: false, reason: status }
    default:
      return unreachable(status)
  }
}
