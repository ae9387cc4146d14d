import { hash } from 'node:crypto'
import { SECRET_PREFIXES } from '@batua/contract'
import type { Queryable } from '../../../db/database.ts'
import { isGenuine } from '../../../db/row-mac.ts'
import { sharedLookUp } from '../../../http/admission/shared-lookup.ts'
import type { AgentCaller, MaybePromise } from '../../../http/caller.ts'
import { boundedMap } from '../../../kernel/bounded-map.ts'
import type { Uuid } from '../../../kernel/ids.ts'
import type { Vault } from '../../../kernel/secrets.ts'
import { AGENT_ROWS } from '../../limits/index.ts'
import { selectAgentByKey, selectAgentWithKey } from './store.ts'

const KEY_LENGTH = SECRET_PREFIXES.agentKey.length + 43
const KEPT_KEYS = 50_000

function isAgentKey(text: string): boolean {
  return text.length === KEY_LENGTH && text.startsWith(SECRET_PREFIXES.agentKey)
}

/** Looks the key up in the database each time: a replaced key fails with the next request on every node. */
export async function authenticateAgent(
  db: Queryable,
  vault: Vault,
  agentKey: string,
): Promise<AgentCaller | null> {
  if (!isAgentKey(agentKey)) return null
  return callerOf(db, vault, vault.credentialHash(agentKey, 'agents.key'))
}

/** The caller with this key; null also if the row of the agent fails its MAC. */
async function callerOf(db: Queryable, vault: Vault, keyHash: Buffer): Promise<AgentCaller | null> {
  const row = await selectAgentByKey(db, keyHash)
  if (row === null || !isGenuine(vault, AGENT_ROWS, row.agentId, row)) return null
  const { agentId, platformId, ownerId } = row
  return { kind: 'agent', agentId, platformId, ownerId, keyHash }
}

/** The agent as a caller without its key, for an app that acts for it; null: it cannot act, or its row fails its MAC. */
export async function readAgentCaller(
  db: Queryable,
  vault: Vault,
  agentId: Uuid,
): Promise<AgentCaller | null> {
  const row = await selectAgentWithKey(db, agentId)
  if (row === null || !isGenuine(vault, AGENT_ROWS, row.agentId, row)) return null
  const { platformId, ownerId, keyHash } = row
  return { kind: 'agent', agentId, platformId, ownerId, keyHash }
}

/** Caches the caller of each key as of its last lookup. */
export interface AgentKeyCache {
  /** The cached caller of a key. */
  recall(agentKey: string): AgentCaller | undefined
  authenticate(agentKey: string): MaybePromise<AgentCaller | null>
  /** Evicts a key that turned out to be replaced. */
  forget(caller: AgentCaller): void
}

/**
 * Only for commands that compare `keyHash` with the agent's row under its lock, as payments do: a replaced key may
 * still be cached here. It stores digests, so that no key stays in memory.
 */
export function openAgentKeyCache(db: Queryable, vault: Vault): AgentKeyCache {
  const known = boundedMap<string, AgentCaller>(KEPT_KEYS)
  const digests = new WeakMap<AgentCaller, string>()

  const lookUp = sharedLookUp(async (digest: string): Promise<AgentCaller | null> => {
    const sha256 = Buffer.from(digest, 'hex')
    const caller = await callerOf(db, vault, vault.credentialHashOf(sha256, 'agents.key'))
    if (caller === null) return null
    known.set(digest, caller)
    digests.set(caller, digest)
    return caller
  })
  return {
    recall: agentKey => (isAgentKey(agentKey) ? known.get(hash('sha256', agentKey, 'hex')) : undefined),
    authenticate(agentKey) {
      if (!isAgentKey(agentKey)) return null
      const digest = hash('sha256', agentKey, 'hex')
      return known.get(digest) ?? lookUp(digest)
    },
    forget(caller) {
      const digest = digests.get(caller)
      if (digest !== undefined) known.delete(digest)
    },
  }
}
