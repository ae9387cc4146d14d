import type { AgentStatus, Tier } from '@batua/contract'
import { byteaText } from '../../../db/array-literal.ts'
import type { Queryable } from '../../../db/database.ts'
import { type KeyedRead, rowOf } from '../../../db/gathered.ts'
import {
  AlteredRow,
  type MacRow,
  macColumns,
  type RowVersion,
  requireGenuine,
  requireGenuineRows,
  writeMacs,
} from '../../../db/row-mac.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import {
  AGENT_ROWS,
  lockAgentsForChange,
  type PendingChange,
  type PendingJson,
  POLICY_COLUMNS,
  pendingFromJson,
  pendingOf,
  policyOf,
  policyValues,
  replacePending,
  type SpendPolicy,
  selectControls,
} from '../../limits/index.ts'
import { OWNER_ROWS } from '../owners/store.ts'
import { originsOf, replaceOrigins } from './origins-store.ts'

/** The platform and the owner of an agent, which never change. */
export interface Belonging {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

/** An agent as it is stored, with the encrypted PAN of its owner, which its vendor id contains. */
export interface Agent {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly handle: string
  readonly name: string
  readonly status: AgentStatus
  /** Of a deactivated agent: the state that still blocks its money, until an administrator ends it. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
  readonly tier: Tier
  /** The keyed hash of the agent key; empty once the agent is deactivated, so that no key matches. */
  readonly keyHash: Buffer
  readonly keyLast4: string
  /** The web origins where buyers may pay it; empty: it names none. */
  readonly origins: readonly string[]
  readonly policy: SpendPolicy
  /** The pending changes of the policy. */
  readonly pending: readonly PendingChange[]
  readonly createdAt: Date
  /** When it was deactivated; its payment sessions ended then. */
  readonly deactivatedAt: Date | null
  /** While the owner is frozen, no limit of the agent is raised and its key is not replaced. */
  readonly isOwnerFrozen: boolean
  readonly encryptedOwnerPan: Buffer
}

export interface AgentRow extends SpendPolicy {
  id: Uuid
  platform_id: Uuid
  owner_id: Uuid
  handle: string
  name: string
  status: AgentStatus
  held_as: Agent['blockedAs']
  tier: Tier
  key_hash: Buffer
  key_last4: string
  origins: string[]
  pending: PendingJson[]
  created_at: Date
  deactivated_at: Date | null
  owner_frozen: boolean
  owner_pan: Buffer
}

export const AGENT_COLUMNS = `
  a.id, a.platform_id, a.owner_id, a.handle, a.name, a.status, a.held_as, a.tier, a.key_hash, a.key_last4,
  ${selectControls('a')}, a.created_at, a.deactivated_at, o.pan as owner_pan,
  o.status = 'frozen' as owner_frozen,
  ${originsOf('a')} as origins,
  ${pendingOf('a.id')} as pending`

export function agentFromRow(row: AgentRow): Agent {
  return {
    id: row.id,
    platformId: row.platform_id,
    ownerId: row.owner_id,
    handle: row.handle,
    name: row.name,
    status: row.status,
    blockedAs: row.held_as,
    tier: row.tier,
    keyHash: row.key_hash,
    keyLast4: row.key_last4,
    origins: row.origins,
    policy: policyOf(row),
    pending: pendingFromJson(row.pending),
    createdAt: row.created_at,
    deactivatedAt: row.deactivated_at,
    isOwnerFrozen: row.owner_frozen,
    encryptedOwnerPan: row.owner_pan,
  }
}

const AGENTS_BY_ID: KeyedRead<AgentRow> = {
  text: `select ${AGENT_COLUMNS} from agents a join owners o on o.id = a.owner_id where a.id = any($1::uuid[])`,
  keyOf: ({ id }) => id,
}

export async function selectAgent(db: Queryable, id: Uuid): Promise<Agent | null> {
  const row = await rowOf(db, AGENTS_BY_ID, id)
  return row === null ? null : agentFromRow(row)
}

const BELONGINGS: KeyedRead<Belonging> = {
  text: `select id, platform_id as "platformId", owner_id as "ownerId" from agents where id = any($1::uuid[])`,
  keyOf: ({ id }) => id,
}

/** The platform and the owner of an agent, not proven. */
export function selectBelonging(db: Queryable, id: Uuid): Promise<Belonging | null> {
  return rowOf(db, BELONGINGS, id)
}

/**
 * Every change of an agent's status, key or policy begins here: it locks the account first, then reads the agent. The
 * ledger reads agents only while it holds that lock. So a change applies to the next payment on any node, and a payment
 * that was decided before the change has committed before it.
 */
export async function lockAgent(tx: Queryable, vault: Vault, id: Uuid): Promise<Agent | null> {
  await lockAgentsForChange(tx, vault, [id])
  return selectAgent(tx, id)
}

/** Writes the columns of an agent that can change. The caller holds its lock: see lockAgent. */
export async function updateAgent(tx: Queryable, vault: Vault, agent: Agent): Promise<RowVersion[]> {
  await tx.query(UPDATE, [
    agent.id,
    agent.name,
    agent.status,
    agent.keyHash,
    agent.keyLast4,
    agent.deactivatedAt,
    ...policyValues(agent.policy),
  ])
  await replacePending(tx, { kind: 'agent', id: agent.id }, agent.pending)
  await replaceOrigins(tx, agent.id, agent.origins)
  return writeMacs(tx, vault, AGENT_ROWS, [agent.id])
}

/** The deactivation of an agent does not end a freeze or quarantine of its money. */
export function blockedAtDeactivation(agents: string): string {
  return `case when ${agents}.status in ('frozen', 'quarantined') then ${agents}.status else ${agents}.held_as end`
}

const UPDATE = `
  update agents set name = $2, status = $3, key_hash = $4, key_last4 = $5, deactivated_at = $6,
    ${POLICY_COLUMNS.map((column, index) => `${column} = $${7 + index}`).join(', ')},
    held_as = case when $3 = 'deactivated' then ${blockedAtDeactivation('agents')} else held_as end
  where id = $1`

export interface SigningKeys {
  /** Base64 of the 32 raw bytes. */
  readonly publicKey: string
  /** Encrypted; null if the caller keeps the private key. */
  readonly privateKey: Buffer | null
}

/** Claims the handle for the agent; false if any agent has ever had it. */
export async function claimHandle(tx: Queryable, handle: string, agentId: Uuid): Promise<boolean> {
  const rows = await tx.query(
    `insert into handles (handle, agent_id) values ($1, $2) on conflict do nothing returning handle`,
    [handle, agentId],
  )
  return rows.length === 1
}

export async function insertAgent(
  tx: Queryable,
  vault: Vault,
  agent: Agent,
  { publicKey, privateKey, mac }: SigningKeys & { readonly mac: Buffer },
): Promise<RowVersion[]> {
  await tx.query(
    `insert into agents (id, platform_id, owner_id, handle, name, status, tier, key_hash, key_last4, public_key, private_key,
       created_at, seal, ${POLICY_COLUMNS.join(', ')})
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, ${POLICY_COLUMNS.map((_, index) => `$${14 + index}`).join(', ')})`,
    [
      agent.id,
      agent.platformId,
      agent.ownerId,
      agent.handle,
      agent.name,
      agent.status,
      agent.tier,
      agent.keyHash,
      agent.keyLast4,
      publicKey,
      privateKey,
      agent.createdAt,
      mac,
      ...policyValues(agent.policy),
    ],
  )
  return writeMacs(tx, vault, AGENT_ROWS, [agent.id])
}

/** The facts about owner and platform that the creation of an agent depends on. */
export interface Sponsor {
  readonly ownerId: Uuid
  readonly ownerStatus: 'active' | 'frozen'
  readonly platformStatus: 'active' | 'deleted'
  readonly tier: Tier
  readonly encryptedPan: Buffer
}

/**
 * The owner for whom an agent is created; null if the platform has no such owner. It locks the owner's row until the
 * commit, so that its agents can be counted, and takes a share lock on the platform's: no freeze or verification of the
 * owner and no deletion of the platform can run concurrently and miss the new agent.
 */
export async function lockSponsor(
  tx: Queryable,
  vault: Vault,
  platformId: Uuid,
  ownerId: Uuid,
): Promise<Sponsor | null> {
  const [row] = await tx.query<{
    owner_status: Sponsor['ownerStatus']
    platform_status: Sponsor['platformStatus']
    tier: Tier
    pan: Buffer
  }>(
    `select o.status as owner_status, p.status as platform_status, o.tier, o.pan
     from owners o join platforms p on p.id = o.platform_id
     where o.id = $1 and o.platform_id = $2
     for no key update of o for share of p`,
    [ownerId, platformId],
  )
  if (row === undefined) return null
  // The row is locked, so this proves the same row that was read above.
  await requireGenuineRows(tx, vault, OWNER_ROWS, [ownerId])
  return {
    ownerId,
    ownerStatus: row.owner_status,
    platformStatus: row.platform_status,
    tier: row.tier,
    encryptedPan: row.pan,
  }
}

/** The public facts about an agent. */
export interface PublicAgent {
  readonly id: Uuid
  readonly handle: string
  readonly name: string
  readonly status: AgentStatus
}

/** Proven by its MAC, because payers rely on it. */
export async function selectPublicAgent(db: Queryable, vault: Vault, id: Uuid): Promise<PublicAgent | null> {
  const [row] = await db.query<PublicAgent & MacRow>(
    `select a.id, a.handle, a.name, a.status, ${macColumns(AGENT_ROWS, 'a')} from agents a where a.id = $1`,
    [id],
  )
  if (row !== undefined) requireGenuine(vault, AGENT_ROWS, id, row)
  return row ?? null
}

/**
 * The agent that claimed a handle, whatever its status. The proven row of the agent must have the same handle: an
 * edited row of `handles` alone cannot direct money to another agent.
 */
export async function selectHandleHolder(db: Queryable, vault: Vault, handle: string): Promise<Uuid | null> {
  const [row] = await db.query<{ agentId: Uuid; carried: string | null } & MacRow>(
    `select h.agent_id as "agentId", a.handle as carried, ${macColumns(AGENT_ROWS, 'a')}
     from handles h left join agents a on a.id = h.agent_id where h.handle = $1`,
    [handle],
  )
  if (row === undefined) return null
  requireGenuine(vault, AGENT_ROWS, row.agentId, row)
  if (row.carried === handle) return row.agentId
  const why = 'names an agent that does not carry it'
  vault.onAltered('handles', handle, why)
  throw new AlteredRow('handles', handle, why)
}

export interface AgentIdentity {
  readonly agentId: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
}

const AGENTS_BY_KEY: KeyedRead<AgentIdentity & MacRow & { readonly keyHash: Buffer }> = {
  text: `select a.id as "agentId", a.platform_id as "platformId", a.owner_id as "ownerId", a.key_hash as "keyHash",
      ${macColumns(AGENT_ROWS, 'a')}
    from agents a where a.key_hash = any($1::bytea[])`,
  keyOf: ({ keyHash }) => byteaText(keyHash),
}

/** The agent with this key, not proven; null if there is none. Agents of a deleted platform have no keys. */
export function selectAgentByKey(db: Queryable, keyHash: Buffer): Promise<(AgentIdentity & MacRow) | null> {
  return rowOf(db, AGENTS_BY_KEY, byteaText(keyHash))
}

/** What an agent that others act for needs, not proven; null: there is none, or it was deactivated. */
export async function selectAgentWithKey(
  db: Queryable,
  id: Uuid,
): Promise<(AgentIdentity & MacRow & { readonly keyHash: Buffer }) | null> {
  const [row] = await db.query<AgentIdentity & MacRow & { readonly keyHash: Buffer }>(
    `select a.id as "agentId", a.platform_id as "platformId", a.owner_id as "ownerId", a.key_hash as "keyHash",
       ${macColumns(AGENT_ROWS, 'a')}
     from agents a where a.id = $1 and a.key_hash is not null and a.status <> 'deactivated'`,
    [id],
  )
  return row ?? null
}
