import { SECRET_PREFIXES } from '@batua/contract'
import { AppError, raise } from '../../kernel/app-error.ts'
import { newUuid, parseId, type Uuid } from '../../kernel/ids.ts'
import { hashSecret, newSecret, type Vault } from '../../kernel/secrets.ts'
import { newKeyPair } from '../../kernel/signing.ts'
import { openAccount } from '../../ledger/index.ts'
import type { AgentsContext } from './context.ts'
import { type AgentRequest, decideAgent, decideSponsor } from './decide.ts'
import { type Agent, claimHandle, insertAgent, lockSponsor, type SigningKeys } from './store.ts'

export interface CreatedAgent {
  readonly agent: Agent
  /** Shown once; only its digest is kept. */
  readonly agentKey: string
}

/** Makes an agent, its handle, its keys and its wallet in one commit. */
export async function createAgent(
  { database, clock, vault }: AgentsContext,
  platformId: Uuid,
  request: AgentRequest,
): Promise<CreatedAgent> {
  const plan = decideAgent(request)
  if (plan.kind === 'refusal') raise(plan)
  const now = clock.now()
  const id = newUuid(now)
  const key = newAgentKey()
  const signingKeys = signingKeysFor(vault, plan.publicKey)
  const ownerId = parseId('own', request.owner_id)

  const agent = await database.inTransaction(async tx => {
    const sponsor = decideSponsor(ownerId === null ? null : await lockSponsor(tx, platformId, ownerId))
    if (sponsor.kind === 'refusal') raise(sponsor)
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
      policy: plan.policy,
      pending: [],
      createdAt: now,
      deactivatedAt: null,
      sealedOwnerPan: sponsor.sealedPan,
    }
    await openAccount(tx, id, now)
    await insertAgent(tx, created, signingKeys)
    return created
  })
  return { agent, agentKey: key.text }
}

export function newAgentKey(): { readonly text: string; readonly hash: Buffer; readonly last4: string } {
  const text = newSecret(SECRET_PREFIXES.agentKey)
  return { text, hash: hashSecret(text), last4: text.slice(-4) }
}

/** The pair that signs for the agent, or only the public half when the caller keeps the private one. */
function signingKeysFor(vault: Vault, broughtPublicKey: string | null): SigningKeys {
  if (broughtPublicKey !== null) return { publicKey: broughtPublicKey, privateKey: null }
  const pair = newKeyPair()
  return { publicKey: pair.publicKey, privateKey: vault.encrypt(pair.privateKeyPem, 'agents.private_key') }
}

function handleTaken(handle: string): AppError {
  return new AppError('conflict', `The handle ${handle} is taken; handles are never given twice`, {
    field: 'handle',
  })
}
