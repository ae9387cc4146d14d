import type { AgentOrigins, IdentityVerification } from '@batua/contract'
import { formatId } from '../../../kernel/ids.ts'
import { signObject, signToken } from '../../../kernel/signing.ts'
import { type Certificate, findCertificateInForce, type SigningKey } from '../../signing/index.ts'
import { findOrigins } from '../agents/origins-store.ts'
import type { ProvenAgent } from '../agents/proven-store.ts'
import { renewIfOutdated } from '../agents/renew-certificates.ts'
import type { IdentityContext } from './context.ts'
import { requireGenuineAgent } from './genuine-agent.ts'

/** The identity of an agent at this moment, signed with the active key. */
export async function verifyIdentity(
  context: IdentityContext,
  idOrHandle: string,
  now: Date,
): Promise<IdentityVerification> {
  const { id } = await requireGenuineAgent(context, idOrHandle)
  await renewIfOutdated(context, id)
  // Read after the renewal, so that the agent and its certificate agree.
  const agent = await requireGenuineAgent(context, idOrHandle)
  const [certificate, origins, key] = await Promise.all([
    findCertificateInForce(context, agent.id, now),
    findOrigins(context.database, context.vault, agent.id),
    context.signingKeys.at(now),
  ])
  return signIdentity(identityContent(agent, certificate, origins, now), context.serviceName, key)
}

function identityContent(
  agent: ProvenAgent,
  certificate: Certificate | null,
  origins: readonly string[],
  now: Date,
) {
  return {
    agent_id: formatId('agt', agent.id),
    handle: agent.handle,
    name: agent.name,
    status: agent.status,
    tier: agent.tier,
    kyc_status: agent.kycStatus,
    member_since: agent.createdAt.toISOString(),
    certificate_id: certificate === null ? null : formatId('cert', certificate.id),
    capabilities: certificate === null ? [] : [...certificate.capabilities],
    public_key: agent.publicKey,
    origins: [...origins],
    verified_at: now.toISOString(),
  }
}

/** The origins of an agent at this moment, signed with the active key. */
export async function readOrigins(
  context: IdentityContext,
  idOrHandle: string,
  now: Date,
): Promise<AgentOrigins> {
  const agent = await requireGenuineAgent(context, idOrHandle)
  const [origins, key] = await Promise.all([
    findOrigins(context.database, context.vault, agent.id),
    context.signingKeys.at(now),
  ])
  const content = {
    agent_id: formatId('agt', agent.id),
    handle: agent.handle,
    origins: [...origins],
    signed_at: now.toISOString(),
    issuer: context.serviceName,
    key_id: key.id,
  }
  return { ...content, signature: signObject(content, key.privateKey) }
}

/** The content is true for its moment only, so its token does not expire: the reader decides how old it may be. */
async function signIdentity(
  facts: ReturnType<typeof identityContent>,
  issuer: string,
  key: SigningKey,
): Promise<IdentityVerification> {
  const content = { ...facts, issuer, key_id: key.id }
  const terms = { typ: 'identity+jwt', keyId: key.id, issuer, issuedAt: new Date(facts.verified_at) }
  return {
    ...content,
    signature: signObject(content, key.privateKey),
    token: await signToken(content, terms, key.privateKey),
  }
}
