import { formatId, type Uuid } from '../../../kernel/ids.ts'
import { sameHash, type Vault } from '../../../kernel/secrets.ts'
import { canonicalJson } from '../../../kernel/signing.ts'

/** The fields of an agent that never change, and on which receipts, certificates and identities rely. */
export interface AgentIdentity {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly handle: string
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  readonly createdAt: Date
}

/**
 * The MAC of an agent's identity. Write access to the database alone cannot make the service sign another handle or
 * key.
 */
export function identityMac(vault: Vault, identity: AgentIdentity): Buffer {
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

/** An agent's identity with the MAC made at its creation; null: none yet (see complete-agents.ts). */
export interface StoredIdentity extends AgentIdentity {
  readonly mac: Buffer | null
}

/** Whether the MAC proves the agent's identity. Everything that the service signs about an agent checks this first. */
export function isGenuineAgent(vault: Vault, agent: StoredIdentity): boolean {
  const { mac, createdAt } = agent
  if (mac === null || !isReadable(createdAt)) return false
  return sameHash(identityMac(vault, agent), mac)
}

/** PostgreSQL has timestamps that are not valid dates in JavaScript, such as infinity. */
function isReadable(moment: unknown): boolean {
  return moment instanceof Date && !Number.isNaN(moment.getTime())
}
