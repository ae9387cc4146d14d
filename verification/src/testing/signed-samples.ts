import type { Signer } from './signer.ts'

const AGENT = 'agt_01kb7q3f8meg5tz4x9wc2n6a01'
const PAYEE = 'agt_01kb7q3f8meg5tz4x9wc2n6a02'
const CERTIFICATE_ID = 'cert_01kb7q3f8meg5tz4x9wc2n6a01'
export const ISSUED = '2026-11-20T10:15:30.250Z'
export const EXPIRES = '2026-11-20T11:15:30.250Z'
export const IN_TIME = new Date('2026-11-20T10:30:00.000Z')

/** A signed thing as the service returns it. */
export interface Sample {
  readonly name: string
  readonly response: { readonly [field: string]: unknown; readonly signature: string; readonly token: string }
  /** What is signed. */
  readonly content: object
}

const seconds = (time: string) => Math.floor(Date.parse(time) / 1000)

export function receiptSample(signer: Signer): Sample {
  const content = {
    receipt_id: 'rcp_01kb7q3f8meg5tz4x9wc2n6a01',
    payment_id: 'pay_01kb7q3f8meg5tz4x9wc2n6a01',
    from: AGENT,
    from_handle: 'researcher',
    to: PAYEE,
    to_handle: 'translator',
    amount: 400.5,
    fee: 2,
    currency: 'INR',
    reference: 'invoice-2041 “é”',
    note: 'Übersetzung\nof 12 pages',
    created_at: ISSUED,
    ...origin(signer),
  }
  const claims = { ...content, iss: signer.service, iat: seconds(ISSUED), jti: content.receipt_id }
  return sample('receipt', content, content, signer, signer.token('receipt+jwt', claims))
}

export function certificateSample(signer: Signer): Sample {
  const content = {
    id: CERTIFICATE_ID,
    agent_id: AGENT,
    subject: 'Research Agent',
    public_key: signer.publicKey,
    capabilities: ['pay', 'receive'],
    tier: 'tier1',
    issued_at: ISSUED,
    expires_at: EXPIRES,
    ...origin(signer),
  }
  const claims = {
    ...content,
    iss: signer.service,
    iat: seconds(ISSUED),
    exp: seconds(EXPIRES),
    jti: content.id,
  }
  const shown = {
    ...content,
    owner_id: 'own_01kb7q3f8meg5tz4x9wc2n6a01',
    status: 'active',
    revoked_at: null,
    revocation_reason: null,
  }
  return sample('certificate', shown, content, signer, signer.token('certificate+jwt', claims))
}

export function identitySample(signer: Signer): Sample {
  const content = {
    agent_id: AGENT,
    handle: 'researcher',
    name: 'Research Agent',
    status: 'active',
    tier: 'tier1',
    kyc_status: 'verified',
    member_since: ISSUED,
    certificate_id: CERTIFICATE_ID,
    capabilities: ['pay'],
    public_key: signer.publicKey,
    verified_at: ISSUED,
    ...origin(signer),
  }
  const claims = { ...content, iss: signer.service, iat: seconds(ISSUED) }
  return sample('identity verification', content, content, signer, signer.token('identity+jwt', claims))
}

export function proofSample(signer: Signer): Sample {
  const proof = {
    agent_id: AGENT,
    handle: 'researcher',
    kyc_status: 'verified',
    network_age_days: 42,
    tier: 'tier1',
    issued_at: ISSUED,
    expires_at: EXPIRES,
    ...origin(signer),
  }
  const claims = { ...proof, iss: signer.service, iat: seconds(ISSUED), exp: seconds(EXPIRES) }
  return sample('membership proof', { proof }, proof, signer, signer.token('membership-proof+jwt', claims))
}

export function samplesOf(signer: Signer): Sample[] {
  return [receiptSample(signer), certificateSample(signer), identitySample(signer), proofSample(signer)]
}

function origin({ service, keyId }: Signer) {
  return { issuer: service, key_id: keyId }
}

function sample(name: string, shown: object, content: object, signer: Signer, token: string): Sample {
  return { name, response: { ...shown, signature: signer.signature(content), token }, content }
}
