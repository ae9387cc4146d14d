import type { AgentStatus, KycStatus, Tier } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { type AgentIdentity, isGenuineAgent, type StoredIdentity } from './identity-mac.ts'

/** An agent whose MAC proves its identity, with its status, tier and verification. */
export interface ProvenAgent extends AgentIdentity {
  readonly name: string
  readonly status: AgentStatus
  readonly tier: Tier
  readonly kycStatus: KycStatus
}

/** The agent; or that there is none; or that its identity fails its MAC. */
export type FoundAgent =
  | { readonly kind: 'agent'; readonly agent: ProvenAgent }
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

/** The columns of the identity that the MAC covers. */
export const IDENTITY_COLUMNS = `a.id, a.platform_id as "platformId", a.owner_id as "ownerId", a.handle,
  a.public_key as "publicKey", a.created_at as "createdAt"`

const COLUMNS = `${IDENTITY_COLUMNS}, a.seal as mac, a.name, a.status, a.tier, o.kyc_status as "kycStatus"
  from agents a join owners o on o.id = a.owner_id`

const SELECT = `select ${COLUMNS} where a.id = $1`
const SELECT_ANY = `select ${COLUMNS} where a.id = any($1::uuid[])`

export async function findProvenAgent(db: Queryable, vault: Vault, id: Uuid): Promise<FoundAgent> {
  return proven(vault, await db.query<ProvenAgent & StoredIdentity>(SELECT, [id]))
}

/** The same with a share lock, so that the agent cannot be changed or deactivated until the commit. */
export async function lockProvenAgent(tx: Queryable, vault: Vault, id: Uuid): Promise<FoundAgent> {
  return proven(vault, await tx.query<ProvenAgent & StoredIdentity>(`${SELECT} for share of a`, [id]))
}

/** Several agents in the order of their ids; null for an agent that fails its MAC. */
export async function lockProvenAgents(
  tx: Queryable,
  vault: Vault,
  ids: readonly Uuid[],
  locked: 'wait' | 'skip locked',
): Promise<{ readonly id: Uuid; readonly agent: ProvenAgent | null }[]> {
  const rows = await tx.query<ProvenAgent & StoredIdentity>(
    `${SELECT_ANY} order by a.id for share of a${locked === 'wait' ? '' : ' skip locked'}`,
    [arrayLiteral(ids)],
  )
  return rows.map(agent => ({ id: agent.id, agent: isGenuineAgent(vault, agent) ? agent : null }))
}

function proven(vault: Vault, [agent]: readonly (ProvenAgent & StoredIdentity)[]): FoundAgent {
  if (agent === undefined) return { kind: 'none' }
  return isGenuineAgent(vault, agent) ? { kind: 'agent', agent } : { kind: 'altered' }
}

/** Those of these agents whose identity fails its MAC or whose row is missing: agents are never deleted. */
export async function findAlteredAgents(db: Queryable, vault: Vault, ids: readonly Uuid[]): Promise<Uuid[]> {
  const agents = await db.query<StoredIdentity>(
    `select ${IDENTITY_COLUMNS}, a.seal as mac from agents a where a.id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  const genuine = new Set(agents.filter(agent => isGenuineAgent(vault, agent)).map(({ id }) => id))
  return ids.filter(id => !genuine.has(id))
}
