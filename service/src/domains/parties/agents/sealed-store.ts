import type { AgentStatus, KycStatus, Tier } from '@batua/contract'
import { arrayLiteral } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { type AgentIdentity, isGenuineAgent, type SealedIdentity } from './agent-seal.ts'

/** What the service vouches for of an agent: its sealed identity, and how it stands. */
export interface SealedAgent extends AgentIdentity {
  readonly name: string
  readonly status: AgentStatus
  readonly tier: Tier
  readonly kycStatus: KycStatus
}

/** An agent as it was created, or that there is none, or that somebody has changed its identity since. */
export type FoundAgent =
  | { readonly kind: 'agent'; readonly agent: SealedAgent }
  | { readonly kind: 'none' }
  | { readonly kind: 'altered' }

/** Who an agent is, as its seal pins it. */
export const IDENTITY_COLUMNS = `a.id, a.platform_id as "platformId", a.owner_id as "ownerId", a.handle,
  a.public_key as "publicKey", a.created_at as "createdAt"`

const COLUMNS = `${IDENTITY_COLUMNS}, a.seal, a.name, a.status, a.tier, o.kyc_status as "kycStatus"
  from agents a join owners o on o.id = a.owner_id`

const SELECT = `select ${COLUMNS} where a.id = $1`
const SELECT_ANY = `select ${COLUMNS} where a.id = any($1::uuid[])`

export async function findSealedAgent(db: Queryable, vault: Vault, id: Uuid): Promise<FoundAgent> {
  return proven(vault, await db.query<SealedAgent & SealedIdentity>(SELECT, [id]))
}

/** The same, and the agent stays as it is until the commit: it cannot end meanwhile. */
export async function lockSealedAgent(tx: Queryable, vault: Vault, id: Uuid): Promise<FoundAgent> {
  return proven(vault, await tx.query<SealedAgent & SealedIdentity>(`${SELECT} for share of a`, [id]))
}

/** Several of them, in the order of their ids; null in the place of one that was altered. */
export async function lockSealedAgents(
  tx: Queryable,
  vault: Vault,
  ids: readonly Uuid[],
  locked: 'wait' | 'skip locked',
): Promise<{ readonly id: Uuid; readonly agent: SealedAgent | null }[]> {
  const rows = await tx.query<SealedAgent & SealedIdentity>(
    `${SELECT_ANY} order by a.id for share of a${locked === 'wait' ? '' : ' skip locked'}`,
    [arrayLiteral(ids)],
  )
  return rows.map(agent => ({ id: agent.id, agent: isGenuineAgent(vault, agent) ? agent : null }))
}

function proven(vault: Vault, [agent]: readonly (SealedAgent & SealedIdentity)[]): FoundAgent {
  if (agent === undefined) return { kind: 'none' }
  return isGenuineAgent(vault, agent) ? { kind: 'agent', agent } : { kind: 'altered' }
}

/** Which of these are not who they were created as, or are no more: agents are never removed. */
export async function findAlteredAgents(db: Queryable, vault: Vault, ids: readonly Uuid[]): Promise<Uuid[]> {
  const agents = await db.query<SealedIdentity>(
    `select ${IDENTITY_COLUMNS}, a.seal from agents a where a.id = any($1::uuid[])`,
    [arrayLiteral(ids)],
  )
  const genuine = new Set(agents.filter(agent => isGenuineAgent(vault, agent)).map(({ id }) => id))
  return ids.filter(id => !genuine.has(id))
}
