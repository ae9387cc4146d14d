import { type MembershipProof, PROOF_VALIDITY_S } from '@batua/contract'
import type { AgentCaller } from '../../../http/caller.ts'
import { AppError } from '../../../kernel/app-error.ts'
import { DAY_MS } from '../../../kernel/clock.ts'
import { formatId } from '../../../kernel/ids.ts'
import { signObject, signToken } from '../../../kernel/signing.ts'
import { readOne } from '../../../ledger/index.ts'
import { findProvenAgent, type ProvenAgent } from '../agents/proven-store.ts'
import { memberships } from '../organizations/member-store.ts'
import type { IdentityContext } from './context.ts'
import { genuine } from './genuine-agent.ts'

/**
 * The membership proof of the calling agent, valid for an hour. With `affiliation` it names the agent's platform and
 * organization too.
 */
export async function membershipProof(
  context: IdentityContext,
  { agentId }: AgentCaller,
  { affiliation = false }: { readonly affiliation?: boolean },
  now: Date,
): Promise<MembershipProof> {
  const { database, vault, signingKeys, serviceName: issuer } = context
  const agent = genuine(agentId, await findProvenAgent(database, vault, agentId))
  if (agent.status !== 'active') {
    const { status } = agent
    throw new AppError('policy_denied', `Agent is ${status}`, { details: { status } })
  }
  const key = await signingKeys.at(now)
  const expiresAt = new Date(now.getTime() + PROOF_VALIDITY_S * 1000)
  const proof = {
    issuer,
    agent_id: formatId('agt', agent.id),
    handle: agent.handle,
    kyc_status: agent.kycStatus,
    network_age_days: Math.max(0, Math.floor((now.getTime() - agent.createdAt.getTime()) / DAY_MS)),
    tier: agent.tier,
    ...(affiliation ? await affiliationOf(context, agent) : {}),
    issued_at: now.toISOString(),
    expires_at: expiresAt.toISOString(),
    key_id: key.id,
  }
  const terms = { typ: 'membership-proof+jwt', keyId: key.id, issuer, issuedAt: now, expiresAt }
  return {
    proof,
    signature: signObject(proof, key.privateKey),
    token: await signToken(proof, terms, key.privateKey),
  }
}

async function affiliationOf({ database, vault }: IdentityContext, { id, platformId }: ProvenAgent) {
  const membership = await readOne({ database, vault }, memberships, id)
  return {
    platform_id: formatId('plt', platformId),
    organization_id: membership === undefined ? null : formatId('org', membership.orgId),
  }
}
