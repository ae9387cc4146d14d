import type { AgentStatus } from '@batua/contract'
import type { Queryable } from '../../db/database.ts'
import { AlteredRow } from '../../db/row-mac.ts'
import { boundedMap } from '../../kernel/bounded-map.ts'
import { momentOf, type Uuid } from '../../kernel/ids.ts'
import type { Vault } from '../../kernel/secrets.ts'
import {
  type LedgerBatch,
  Prerequisite,
  type Read,
  read,
  readerById,
  type Services,
} from '../../ledger/index.ts'
import { effectiveVersion, layersOf, shownVersion } from './effective-policy.ts'
import { recordPresentPolicy } from './history/record-versions.ts'
import { type Ceiling, ceilingOf, type Layer } from './layers.ts'
import { type AgentRow, newestIn, partsOfRow, proveRows, selectAgentRows } from './present-policies.ts'

/** When and for how long an agent was stopped, in Unix milliseconds. */
export interface AgentStops {
  /** When it was last paused; null: never. */
  readonly pausedMs: number | null
  readonly deactivatedMs: number | null
  /** Since when its money is blocked, by a freeze or a quarantine; null: it is not. */
  readonly blockedSinceMs: number | null
  /** How long its money was blocked before that, in all. */
  readonly blockedMs: number
}

export const NEVER_STOPPED: AgentStops = {
  pausedMs: null,
  deactivatedMs: null,
  blockedSinceMs: null,
  blockedMs: 0,
}

/** What decisions need to know about an agent. It is valid as long as the agent's account is locked. */
export interface AgentFacts {
  readonly id: Uuid
  readonly platformId: Uuid
  readonly ownerId: Uuid
  readonly status: AgentStatus
  /** Of a deactivated agent: the state in which it was deactivated. Its money stays blocked as that state blocks it. */
  readonly blockedAs: 'frozen' | 'quarantined' | null
  readonly stops: AgentStops
  readonly keyHash: Buffer
  /** The general layers first. */
  readonly layers: readonly Layer[]
  readonly ceiling: Ceiling
  /** The version of the layers together. */
  readonly policyVersion: string
  /** From when on it decides; null while it is not the newest version in the agent's history. */
  readonly policySinceMs: number | null
}

const DEFAULT_MAX_REMEMBERED = 50_000
const MAX_REMEMBERED_LIST = 32

const agents = readerById<AgentFacts>('agents', async (tx: Queryable, ids, _nowMs, vault: Vault) => {
  const rows = await selectAgentRows(tx, ids)
  const facts = new Map<string, AgentFacts>()
  for (const row of rows) {
    proveRows(vault, row)
    facts.set(row.id, factsFromRow(vault, row))
  }
  return facts
})

/** Facts of agents for decisions under their accounts' locks. */
export interface AgentPolicyCache {
  /** The reads needed because this process has not cached the agent's present version. */
  reads(batch: LedgerBatch, ids: readonly Uuid[]): Read[]
  /** The agent at its present version, after the reads of `needs`; undefined: there is no such agent. */
  facts(batch: LedgerBatch, id: Uuid): AgentFacts | undefined
  /**
   * Every decision by an agent's policy begins here. A changed policy of an owner or tier is written before it is
   * announced to each agent. A reader that sees it before then announces it to the agent first, so that the agent's
   * history says from when on it decided.
   */
  requireRecorded(batch: LedgerBatch, id: Uuid): void
}

/** The columns `policy_since_ms` and `id` of an account and its agent's newest version always agree. */
const NOT_ITS_VERSION = 'has another time than the newest version of the policy'

/**
 * Caches agents by the version that their locked account names. Each process reads a version at most once. The next
 * decision sees a change, because every change raises the version.
 */
export function openAgentPolicyCache(maxRemembered = DEFAULT_MAX_REMEMBERED): AgentPolicyCache {
  const known = boundedMap<Uuid, { readonly version: number; readonly facts: AgentFacts }>(maxRemembered)
  const recording = new Map<Uuid, Promise<void>>()

  function remember(version: number, facts: AgentFacts): void {
    if (known.get(facts.id)?.version === version || payeeListLength(facts) > MAX_REMEMBERED_LIST) return
    known.set(facts.id, { version, facts })
  }

  /** Commands of one agent that wait for it share the work. */
  function recordOnce(services: Services, id: Uuid): Promise<void> {
    const running = recording.get(id)
    if (running !== undefined) return running
    const work = recordPresentPolicy(services, id).finally(() => recording.delete(id))
    recording.set(id, work)
    return work
  }

  function facts(batch: LedgerBatch, id: Uuid): AgentFacts | undefined {
    const account = batch.account(id)
    const found = batch.read(agents, id)
    if (account !== undefined && found !== undefined) remember(account.agentVersion, found)
    return found
  }

  return {
    facts,
    reads(batch, ids) {
      const unknown: Read[] = []
      for (const id of ids) {
        const account = batch.account(id)
        const entry = known.get(id)
        if (account === undefined) continue
        // Stored in the ledger batch as well, because the cache may evict it before the batch ends.
        if (entry?.version === account.agentVersion) batch.set(agents, id, entry.facts)
        else unknown.push(read(agents, id))
      }
      return unknown
    },
    requireRecorded(batch, id) {
      const found = facts(batch, id)
      if (found === undefined) return
      if (found.policySinceMs === null) throw new Prerequisite(services => recordOnce(services, id))
      // Otherwise the time of the batch would differ from the time that the history needs, or be far ahead.
      if (batch.account(id)?.policySinceMs !== found.policySinceMs)
        throw new AlteredRow('accounts', id, NOT_ITS_VERSION)
    },
  }
}

/** How many agents the payee lists name. Callers decide how much memory lists take, so long lists are not cached. */
function payeeListLength({ layers }: AgentFacts): number {
  let count = 0
  for (const { allowedPayees, blockedPayees } of layers) {
    count += (allowedPayees?.size ?? 0) + (blockedPayees?.size ?? 0)
  }
  return count
}

/** The columns of an agent's stops. */
export function stopsOfRow(
  row: Pick<AgentRow, 'paused_at' | 'deactivated_at' | 'blocked_at' | 'blocked_ms'>,
): AgentStops {
  return {
    pausedMs: row.paused_at?.getTime() ?? null,
    deactivatedMs: row.deactivated_at?.getTime() ?? null,
    blockedSinceMs: row.blocked_at?.getTime() ?? null,
    blockedMs: Number(row.blocked_ms ?? 0n),
  }
}

function factsFromRow(vault: Vault, row: AgentRow): AgentFacts {
  const parts = partsOfRow(row)
  const layers = layersOf(parts)
  const { digest } = effectiveVersion(vault, parts)
  const newest = newestIn(row)
  const isRecorded = newest?.version.equals(digest) === true
  return {
    id: row.id,
    platformId: row.platform_id,
    ownerId: row.owner_id,
    status: row.status,
    blockedAs: row.held_as,
    stops: stopsOfRow(row),
    keyHash: row.key_hash,
    layers,
    ceiling: ceilingOf(layers),
    policyVersion: shownVersion(digest),
    policySinceMs: isRecorded ? momentOf(newest.id).getTime() : null,
  }
}
