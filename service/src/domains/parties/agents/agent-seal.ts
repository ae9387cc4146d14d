import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { canonicalJson } from '../../../kernel/signing.ts'

/** What never changes of an agent, and what others go by when the service signs something of it. */
export interface AgentIdentity {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly handle: string
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  readonly createdAt: Date
}

/** Pins an agent's identity: who can only write to the database cannot have the service sign another handle or key. */
export function agentSeal(vault: Vault, identity: AgentIdentity): Buffer {
  const row = {
    agent_id: formatId('agt', identity.id),
    platform_id: formatId('plt', identity.platformId),
    owner_id: formatId('own', identity.ownerId),
    handle: identity.handle,
    public_key: identity.publicKey,
    created_at: identity.createdAt.toISOString(),
  }
  return vault.mac(`agent ${canonicalJson(row)}`)
}

/** An agent's identity with the seal that it got when it was created; null: none yet (see complete-agents.ts). */
export interface SealedIdentity extends AgentIdentity {
  readonly seal: Buffer | null
}

/** Whether an agent is who it was created as. Whatever the service signs of an agent asks this first. */
export function isGenuineAgent(vault: Vault, agent: SealedIdentity): boolean {
  const { seal, createdAt } = agent
  if (seal === null || !isReadable(createdAt)) return false
  return sameHash(agentSeal(vault, agent), seal)
}

/** The database knows moments that are no dates here, infinity among them. */
function isReadable(moment: unknown): boolean {
  return moment instanceof Date && !Number.isNaN(moment.getTime())
}
