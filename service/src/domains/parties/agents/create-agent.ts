import { SECRET_PREFIXES } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { AppError, raise } from '../../../kernel/app-error.ts'
import { assert } from '../../../kernel/assert.ts'
import { formatId, newUuid, parseId, type Uuid } from '../../../kernel/ids.ts'
import { newSecret, type Vault } from '../../../kernel/secrets.ts'
import { newKeyPair } from '../../../kernel/signing.ts'
import { openAccount } from '../../../ledger/index.ts'
import { actorOf, type Recording, recordFacts } from '../../../operations/facts.ts'
import { recordPolicyVersions } from '../../limits/index.ts'
import { type Issuer, issueDefaultCertificates, issuerAt } from '../../signing/index.ts'
import type { AgentsContext } from './context.ts'
import { addToAgentCount, ownerIsFull } from './count-store.ts'
import { type AgentRequest, decideAgent, decideSponsor } from './decide.ts'
import { agentFact, identityFacts } from './facts.ts'
import { identityMac } from './identity-mac.ts'
import { type Agent, claimHandle, insertAgent, lockSponsor, type SigningKeys } from './store.ts'

export interface CreatedAgent {
  readonly agent: Agent
  /** Shown once; only its digest is stored. */
  readonly agentKey: string
}

/** Creates an agent with its handle, keys, wallet and default certificate in one commit. */
export async function createAgent(
  context: AgentsContext,
  platformId: Uuid,
  request: AgentRequest,
): Promise<CreatedAgent> {
  const plan = decideAgent(request)
  if (plan.kind === 'refusal') raise(plan)
  const { database, clock, vault, maxAgentsPerOwner, maxAgentsPerPlatform } = context
  const now = clock.now()
  const issuer = await issuerAt(context, now)
  const recording = { actor: actorOf({ kind: 'platform', platformId }), vault, now }
  const id = newUuid(now)
  const key = newAgentKey(vault)
  const signingKeys = signingKeysFor(vault, id, plan.publicKey)
  const ownerId = parseId('own', request.owner_id)

  const agent = await database.inTransaction(async tx => {
    const sponsor = decideSponsor(ownerId === null ? null : await lockSponsor(tx, vault, platformId, ownerId))
    if (sponsor.kind === 'refusal') raise(sponsor)
    if (await ownerIsFull(tx, sponsor.ownerId, maxAgentsPerOwner)) throw tooMany('owner', maxAgentsPerOwner)
    if (!(await claimHandle(tx, plan.handle, id))) throw handleTaken(plan.handle)
    const created: Agent = {
      id,
      platformId,
      ownerId: sponsor.ownerId,
      handle: plan.handle,
      name: plan.name,
      status: 'active',
      tier: sponsor.tier,
      keyHash: key.hash,
      keyLast4: key.last4,
      origins: [],
      policy: plan.policy,
      pending: [],
      createdAt: now,
      deactivatedAt: null,
      isOwnerFrozen: false,
      blockedAs: null,
      encryptedOwnerPan: sponsor.encryptedPan,
    }
    await openAccount(tx, id, now)
    await storeAgent(tx, created, signingKeys, { issuer, recording })
    if (!(await addToAgentCount(tx, platformId, maxAgentsPerPlatform))) {
      throw tooMany('platform', maxAgentsPerPlatform)
    }
    return created
  })
  return { agent, agentKey: key.text }
}

/** Stores the agent with the MAC of its identity and its default certificate, and records both. */
async function storeAgent(
  tx: Queryable,
  agent: Agent,
  keys: SigningKeys,
  { issuer, recording }: { readonly issuer: Issuer; readonly recording: Recording },
): Promise<void> {
  const { actor, vault, now } = recording
  const subject = { ...agent, publicKey: keys.publicKey }
  const versions = await insertAgent(tx, vault, agent, { ...keys, mac: identityMac(vault, subject) })
  const [certificate] = await issueDefaultCertificates(tx, [subject], issuer, recording)
  assert(certificate !== undefined, 'every agent has a default certificate')
  const data = {
    ...identityFacts(subject),
    name: agent.name,
    tier: agent.tier,
    certificate_id: formatId('cert', certificate.id),
  }
  await recordFacts(tx, vault, now, [agentFact(actor, 'agent.created', agent, data)], versions)
  await recordPolicyVersions(tx, [agent.id], recording)
}

export function newAgentKey(vault: Vault): {
  readonly text: string
  readonly hash: Buffer
  readonly last4: string
} {
  const text = newSecret(SECRET_PREFIXES.agentKey)
  return { text, hash: vault.credentialHash(text, 'agents.key'), last4: text.slice(-4) }
}

/** The agent's key pair, or only the public key if the caller keeps the private one. */
function signingKeysFor(vault: Vault, id: Uuid, broughtPublicKey: string | null): SigningKeys {
  if (broughtPublicKey !== null) return { publicKey: broughtPublicKey, privateKey: null }
  const pair = newKeyPair()
  return {
    publicKey: pair.publicKey,
    privateKey: vault.encrypt(pair.privateKeyPem, `agents.private_key:${id}`),
  }
}

function tooMany(whose: 'owner' | 'platform', max: number): AppError {
  const message = `This ${whose} has ${max} agents, as many as it may; deactivate one that is not needed any more`
  return new AppError('conflict', message, { details: { max_agents: max } })
}

function handleTaken(handle: string): AppError {
  return new AppError('conflict', `The handle ${handle} is taken; handles are never given twice`, {
    field: 'handle',
  })
}
