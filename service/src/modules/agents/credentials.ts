import { hash } from 'node:crypto'
import { SECRET_PREFIXES } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import type { AgentCaller, MaybePromise } from '../../http/caller.ts'
import { sharedLookUp } from '../../http/shared-lookup.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import { hashSecret } from '../../kernel/secrets.ts'
import { selectAgentByKey } from './store.ts'

const KEY_LENGTH = SECRET_PREFIXES.agentKey.length + 43
const KEPT_KEYS = 50_000

function isAgentKey(text: string): boolean {
  return text.length === KEY_LENGTH && text.startsWith(SECRET_PREFIXES.agentKey)
}

/** Asks the database whose key this is, each time: a replaced key fails with the very next request anywhere. */
export async function authenticateAgent(db: Queryable, agentKey: string): Promise<AgentCaller | null> {
  if (!isAgentKey(agentKey)) return null
  return callerOf(db, hashSecret(agentKey))
}

async function callerOf(db: Queryable, keyHash: Buffer): Promise<AgentCaller | null> {
  const identity = await selectAgentByKey(db, keyHash)
  return identity === null ? null : { kind: 'agent', ...identity, keyHash }
}

/** Remembers whose key a key was when it was last asked for. */
export interface AgentKeyring {
  /** Whose key it is when that is remembered. */
  recall(agentKey: string): AgentCaller | undefined
  authenticate(agentKey: string): MaybePromise<AgentCaller | null>
  /** For whoever finds out that a caller's key is no longer the agent's. */
  forget(caller: AgentCaller): void
}

/**
 * Only for commands that compare `keyHash` with the agent's row under its lock, as payments do: a key that was replaced
 * may still be known here. It keeps digests, so that no key stays in memory.
 */
export function openAgentKeyring(db: Queryable): AgentKeyring {
  const known = boundedMap<string, AgentCaller>(KEPT_KEYS)

  const ask = sharedLookUp(async (digest: string): Promise<AgentCaller | null> => {
    const caller = await callerOf(db, Buffer.from(digest, 'hex'))
    if (caller !== null) known.set(digest, caller)
    return caller
  })
  return {
    recall: agentKey => (isAgentKey(agentKey) ? known.get(hash('sha256', agentKey, 'hex')) : undefined),
    authenticate(agentKey) {
      if (!isAgentKey(agentKey)) return null
      const digest = hash('sha256', agentKey, 'hex')
      return known.get(digest) ?? ask(digest)
    },
    forget: caller => known.delete(caller.keyHash.toString('hex')),
  }
}
